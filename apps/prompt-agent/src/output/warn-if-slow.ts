import type { Output } from './output.ts';

/** After this time the user is told what the program waits for, in milliseconds. */
export const SLOW_MS = 5000;

/** Says after five seconds what the program waits for, also with `-q`. Returns a function that ends that: the wait is over, or somebody is asked meanwhile. */
export function warnIfSlow({ alert }: Pick<Output, 'alert'>, what: string): () => void {
  const timer = setTimeout(() => alert(`waiting for ${what}`), SLOW_MS);
  return () => clearTimeout(timer);
}
