/** Creates a stream of values that are read only when somebody asks for them. `cancel` stops the iteration at once. */
export function toReadableStream<T>(values: AsyncGenerator<T, void>): ReadableStream<T> {
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const { done, value } = await values.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await values.return();
      },
    },
    { highWaterMark: 0 },
  );
}
