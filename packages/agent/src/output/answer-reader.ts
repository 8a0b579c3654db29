import type { CompiledOutput, ReadOutput } from './compile-output.ts';

export interface AnswerReader {
  /** Reads a reply, within a step, and keeps the value of an answer beside its JSON text. Rejects with `CONFIG_INVALID` if the schema library throws. */
  read(text: string): Promise<ReadOutput>;
  /**
   * Returns what the answer of a step was read as. Where the step was replayed from a journal, this process has not read it: then it is read
   * from its JSON text.
   */
  valueOf(answer: string): ReadOutput | Promise<ReadOutput>;
}

export function createAnswerReader(compiled: CompiledOutput): AnswerReader {
  const values = new Map<string, ReadOutput>();
  return {
    async read(text) {
      const read = await compiled.read(text);
      if ('answer' in read) values.set(read.answer, read);
      return read;
    },
    valueOf: (answer) => values.get(answer) ?? compiled.readAnswer(answer),
  };
}
