import type { CompiledOutput, ReadOutput } from './compile-output.ts';

export type AnswerReader = ReturnType<typeof createAnswerReader>;

export function createAnswerReader(compiled: CompiledOutput) {
  const values = new Map<string, ReadOutput>();
  return {
    /** Keeps the value of an answer beside its JSON text. Rejects with `CONFIG_INVALID` if the schema library throws. */
    async read(text: string): Promise<ReadOutput> {
      const read = await compiled.read(text);
      if ('answer' in read) values.set(read.answer, read);
      return read;
    },
    /** An answer whose step was replayed from a journal was not read in this process: then it is read from its JSON text. */
    valueOf: (answer: string): ReadOutput | Promise<ReadOutput> => values.get(answer) ?? compiled.readAnswer(answer),
  };
}
