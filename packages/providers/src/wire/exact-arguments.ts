import { createJsonSource, type JsonSource } from '@kernel/protocol';

/** Of calls that arrive as objects within the JSON of a reply. */
export interface ExactArguments {
  /** The JSON that is read from now on. */
  read(text: string, parsed: unknown): void;
  /** As they are, or their text if `JSON.parse` lost something in it, so that the registry sees what the model sent. */
  of(value: unknown): unknown;
}

/** `key` is the vendor's name for arguments. Costs nothing before there is an object. */
export function createExactArguments(key: string): ExactArguments {
  let current: readonly [text: string, parsed: unknown] | undefined;
  let source: JsonSource | undefined;
  return {
    read(text, parsed) {
      current = [text, parsed];
      source = undefined;
    },
    of(value) {
      if (typeof value !== 'object' || value === null || current === undefined) return value;
      source ??= createJsonSource(...current, key);
      return source.textOf(value) ?? value;
    },
  };
}
