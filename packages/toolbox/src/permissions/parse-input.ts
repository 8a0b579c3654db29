import { isObject } from '@kernel/internal';

/** Returns the arguments of a call as an object; undefined for text that is not one. Empty text counts as an empty object. */
export function parseInput(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
