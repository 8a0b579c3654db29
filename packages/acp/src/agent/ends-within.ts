/** Whether some work ends within a time, in milliseconds. Leaves no timer behind. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const hasEnded = await Promise.race([work.then(() => true), elapsed]);
  clearTimeout(timer);
  return hasEnded;
}
