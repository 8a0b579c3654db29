import { isObject } from '@kernel/internal';
import type { JsonObject, JsonValue, Tool } from '@kernel/protocol';
import { isValidCall } from '../arguments/is-valid.ts';
import { memoize } from '../memoize.ts';
import { type CompiledPhrase, compilePhrase, neededWords } from './compile-phrase.ts';
import { markWords, plainRequest } from './plain-request.ts';
import type { ToolPhrase } from './compile-phrase.ts';

export interface ToolMatch {
  readonly tool: Tool;
  readonly input: JsonObject;
}

/** The phrases under a tool's name that give every argument that it requires and none that it does not know: another tool may have the same name. */
export function phrasesFor(
  { name, parameters }: Tool,
  byName: Readonly<Record<string, readonly ToolPhrase[]>>,
): readonly ToolPhrase[] {
  const properties = isObject(parameters['properties']) ? parameters['properties'] : {};
  const required = Array.isArray(parameters['required']) ? parameters['required'] : [];
  return (Object.hasOwn(byName, name) ? (byName[name] ?? []) : []).filter(
    ({ input }) =>
      Object.keys(input).every((key) => Object.hasOwn(properties, key)) &&
      required.every((key) => typeof key === 'string' && Object.hasOwn(input, key)),
  );
}

const compiled = memoize(compilePhrase);
const needed = memoize(neededWords);

/**
 * Returns the call of the first phrase that a request equals, word by word. With `material`, a text that came with the request, only phrases that take it
 * count, and without it only the others: nobody sends a text along for nothing.
 */
export function matchPhrase(
  tools: readonly Tool[],
  phrasesOf: (tool: Tool) => readonly ToolPhrase[],
  text: string,
  material?: string,
): ToolMatch | undefined {
  const request = plainRequest(text);
  if (request === undefined || request === '') return undefined;
  const lower = request.toLowerCase();
  const marked = `${markWords(request)} `;
  for (const tool of tools) {
    for (const phrase of phrasesOf(tool)) {
      if (!needed(phrase).every((words) => words.some((word) => lower.includes(word)))) continue;
      const input = inputOf(phrase, compiled(phrase), marked, text, material);
      if (input !== undefined && isValidCall(tool, input)) return { tool, input };
    }
  }
  return undefined;
}

function inputOf(
  { input }: ToolPhrase,
  { form, values, takesMaterial }: CompiledPhrase,
  request: string,
  written: string,
  material: string | undefined,
): JsonObject | undefined {
  const match = takesMaterial === (material !== undefined) ? form.exec(request) : null;
  if (match === null) return undefined;
  const found = new Map<string, string | number>(material === undefined ? [] : [['material', material]]);
  for (const [name, read] of values) {
    const value = read(match.groups?.[name] ?? '', written);
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
