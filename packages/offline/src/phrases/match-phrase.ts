import type { JsonObject, JsonValue, Tool } from '@kernel/protocol';
import { isValidCall } from '../arguments/is-valid.ts';
import { memoize } from '../memoize.ts';
import { type CompiledPhrase, compilePhrase, neededWord } from './compile-phrase.ts';
import { markWords, plainRequest } from './plain-request.ts';
import type { ToolPhrase } from './tool-phrase.ts';

/** A call that a request asks for. */
export interface ToolMatch {
  /** The tool, as it was offered. */
  readonly tool: Tool;
  /** The arguments, by name. */
  readonly input: JsonObject;
}

const compiled = memoize(compilePhrase);
const wordOf = memoize(neededWord);

/**
 * Returns the call of the first phrase that a request equals, word by word. With `material`, a text that came with the request, only phrases that take it
 * count, and without it only the others: nobody sends a text along for nothing.
 */
export function matchPhrase(
  tools: readonly Tool[],
  phrasesOf: (tool: Tool) => readonly ToolPhrase[],
  text: string,
  material: string | undefined,
): ToolMatch | undefined {
  const request = plainRequest(text);
  if (request === undefined || request === '') return undefined;
  let marked: string | undefined;
  const lower = request.toLowerCase();
  for (const tool of tools) {
    for (const each of phrasesOf(tool)) {
      if (!lower.includes(wordOf(each))) continue;
      const phrase = compiled(each);
      if (phrase.takesMaterial !== (material !== undefined)) continue;
      if (!phrase.needed.every((words) => words.some((word) => lower.includes(word)))) continue;
      marked ??= `${markWords(request)} `;
      const input = inputOf(each, phrase, marked, material);
      if (input !== undefined && isValidCall(tool, input)) return { tool, input };
    }
  }
  return undefined;
}

function inputOf(
  { input }: ToolPhrase,
  { form, values }: CompiledPhrase,
  request: string,
  material: string | undefined,
): JsonObject | undefined {
  const match = form().exec(request);
  if (match === null) return undefined;
  const found = new Map<string, string | number>(material === undefined ? [] : [['material', material]]);
  for (const [name, read] of values) {
    const value = read(match.groups?.[name] ?? '');
    if (value === undefined) return undefined;
    found.set(name, value);
  }
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, filledIn(value, found)]));
}

/** Puts values into a text; one that is a single `{name}` takes a value as it is. */
function filledIn(value: JsonValue, found: ReadonlyMap<string, string | number>): JsonValue {
  if (typeof value !== 'string') return value;
  const whole = /^\{([a-z]+)\}$/i.exec(value)?.[1];
  if (whole !== undefined) return found.get(whole) ?? value;
  return value.replaceAll(/\{([a-z]+)\}/gi, (place, name: string) => String(found.get(name) ?? place));
}
