import type { JsonObject, JsonValue, Tool } from '@kernel/protocol';
import { isValidCall } from '../arguments/is-valid.ts';
import { type CompiledPhrase, compilePhrase } from './compile-phrase.ts';
import { mayFit } from './may-fit.ts';
import { readValues } from './read-value.ts';
import { splitWords } from './split-words.ts';
import type { ToolPhrase } from './tool-phrase.ts';

/** A call that a whole request asks for by a phrase of the tool. */
export interface PhraseMatch {
  /** The tool, as it was offered. */
  readonly tool: Tool;
  /** The arguments, by name. */
  readonly input: JsonObject;
}

const compiled = new WeakMap<ToolPhrase, CompiledPhrase>();

function compiledOf(phrase: ToolPhrase): CompiledPhrase {
  const known = compiled.get(phrase) ?? compilePhrase(phrase);
  compiled.set(phrase, known);
  return known;
}

/**
 * Returns the call of the first phrase that a request equals, word by word. With `material`, a text that came with the request, only phrases that take it
 * count, and without it only the others: nobody sends a text along for nothing.
 */
export function matchPhrase(
  tools: readonly Tool[],
  phrasesOf: (tool: Tool) => readonly ToolPhrase[],
  request: string,
  material: string | undefined,
): PhraseMatch | undefined {
  const words = splitWords(request);
  if (words === undefined || words.length === 0) return undefined;
  const lower = request.toLowerCase();
  for (const tool of tools) {
    for (const each of phrasesOf(tool)) {
      if (!mayFit(each.text, lower)) continue;
      const phrase = compiledOf(each);
      if (phrase.takesMaterial !== (material !== undefined)) continue;
      const values = matchParts(phrase, words, 0, 0);
      if (values === undefined) continue;
      const input = fillIn(phrase.input, new Map([...values, ['material', material ?? '']]));
      if (isValidCall(tool, input)) return { tool, input };
    }
  }
  return undefined;
}

type Values = readonly (readonly [name: string, value: JsonValue])[];

function matchParts(phrase: CompiledPhrase, words: readonly string[], part: number, at: number): Values | undefined {
  const next = phrase.parts[part];
  if (next === undefined) return at === words.length ? [] : undefined;
  if ('words' in next) {
    const fits = next.words.has(words[at]?.toLowerCase().replace(/,$/, '') ?? '\0');
    const taken = fits ? matchParts(phrase, words, part + 1, at + 1) : undefined;
    return taken ?? (next.isOptional ? matchParts(phrase, words, part + 1, at) : undefined);
  }
  for (const { length, value } of readValues(next.kind, words, at)) {
    const rest = matchParts(phrase, words, part + 1, at + length);
    if (rest !== undefined) return [[next.name, value], ...rest];
  }
  return undefined;
}

/** Puts values into arguments; a text that is one `{name}` takes a value as it is. */
function fillIn(input: JsonObject, values: ReadonlyMap<string, JsonValue>): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      if (typeof value !== 'string') return [key, value];
      const whole = /^\{([a-z]+)\}$/i.exec(value)?.[1];
      if (whole !== undefined) return [key, values.get(whole) ?? value];
      return [key, value.replaceAll(/\{([a-z]+)\}/gi, (place, name: string) => textOf(values.get(name)) ?? place)];
    }),
  );
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}
