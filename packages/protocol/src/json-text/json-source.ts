import { isObject } from '@kernel/internal';
import { findJsonLoss } from './json-loss.ts';
import { type JsonFrame, scanJson } from './json-scan.ts';

/** JSON text that was parsed, whose objects can be traced back to their own text. */
export interface JsonSource {
  /**
   * The text of an object within the parsed value, if `JSON.parse` lost something in it (a rounded number, a duplicate key); undefined if it did not,
   * or if the object is not the value of the source's key.
   */
  textOf(object: object): string | undefined;
}

interface Frame extends JsonFrame {
  /** What this object or array became. */
  readonly value: unknown;
  /** Whether it is the value of the key, and within no other such value. */
  readonly isWanted: boolean;
  /** Whether it is such a value, or within one. */
  readonly isWithin: boolean;
}

/**
 * Creates a source for the objects that are values of one key, such as the arguments of calls in a reply. Nothing is read before the first call of
 * `textOf`; text without a loss is recognized by counting. All calls together take linear time.
 */
export function createJsonSource(text: string, parsed: unknown, key: string): JsonSource {
  let texts: ReadonlyMap<unknown, string> | undefined;
  return {
    textOf(object) {
      texts ??= findJsonLoss(text, parsed, true) === undefined ? new Map() : lossyTexts(text, parsed, key);
      return texts.get(object);
    },
  };
}

function lossyTexts(text: string, parsed: unknown, key: string): ReadonlyMap<unknown, string> {
  const found = new Map<unknown, string>();
  scanJson<Frame>(text, {
    open(start, at, open) {
      const parent = open.at(-1);
      const value = parent === undefined ? parsed : memberOf(parent.value, parent.at);
      const isWanted = parent?.isWithin === false && parent.at === key;
      return { start, at, value, isWanted, isWithin: isWanted || parent?.isWithin === true };
    },
    close({ isWanted, start, value }, _, end) {
      if (!isWanted || !isObject(value)) return;
      const source = text.slice(start, end);
      // Of a key that is there twice, the last value counts.
      if (findJsonLoss(source, value, true) === undefined) found.delete(value);
      else found.set(value, source);
    },
  });
  return found;
}

function memberOf(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
}
