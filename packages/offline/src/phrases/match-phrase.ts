import { type JsonObject, KernelError, type Tool } from '@kernel/protocol';
import { isValidCall } from '../arguments/argument-slots.ts';
import { memoize } from '../memoize.ts';
import { KINDS, MARK, markWords, plainRequest, POLITE, type Read, SEARCH_KINDS } from './value-kinds.ts';

/** A whole request that is a call of a tool. It counts where the call has only arguments that the tool knows, all that it requires, and values that its schema allows. */
export interface ToolPhrase {
  /**
   * The request in English, without polite words. `(is|are)` is one of several words, `(all|)` a word that may be absent, and `{name:kind}` a value:
   * `number`, `numbers` (a list), `path`, `day` (such as 2026-12-24), `duration` (such as "3 hours" or "1.5 hours"), `weekday`, `glob`, `extension` (`.ts`, which gives `*.ts`), `word`, or `words` (one to five; the default).
   */
  readonly text: string;
  /** A request that the phrase fits, as a person writes it: offline shows the first of a tool as something to try. */
  readonly example?: string;
  /** The arguments. `{name}` in a text stands for a value, and `{material}` for the text that came with the request, such as a file. */
  readonly input: JsonObject;
}

export interface ToolMatch {
  readonly tool: Tool;
  readonly input: JsonObject;
}

const ALL_KINDS = new Map([...Object.entries(KINDS), ...Object.entries(SEARCH_KINDS)]);

/**
 * The words that a request must have for a phrase to fit, each as one of several, in lower case: of hundreds of phrases only a few are then compiled. Words
 * that `plainRequest` leaves out are not among them.
 */
const needed = memoize(({ text }: ToolPhrase): readonly (readonly string[])[] => {
  const words = text.toLowerCase().split(' ');
  return words.filter((word) => !word.includes('{') && !word.endsWith('|)') && !POLITE.has(word)).map(choicesOf);
});

function choicesOf(part: string): readonly string[] {
  return (part.startsWith('(') ? part.slice(1, -1) : part).split('|');
}

const compiled = memoize(({ text }: ToolPhrase) => {
  const values = new Map<string, Read>();
  const parts = (plainRequest(text) ?? '').split(' ').map((part) => {
    const [, name, kind = 'words'] = /^\{([a-z]+)(?::([a-z]+))?\}$/i.exec(part) ?? [];
    if (name === undefined) return wordForm(choicesOf(part));
    const [form, read] = ALL_KINDS.get(kind) ?? unknownKind(text, kind);
    values.set(name, read);
    return `(?<${name}>${form}) `;
  });
  return { form: new RegExp(`^${parts.join('')}$`, 'i'), values };
});

function unknownKind(text: string, kind: string): never {
  throw new KernelError('CONFIG_INVALID', `The phrase "${text}" has a value of the kind "${kind}".`, {
    hint: `Kinds are ${Object.keys(KINDS).join(', ')}.`,
  });
}

function wordForm(choices: readonly string[]): string {
  const words = choices.filter((choice) => choice !== '');
  const form = words.map((word) => word.replaceAll(/[$()*+.?[\]^{}]/g, String.raw`\$&`)).join('|');
  return `(?:${MARK}?(?:${form})[,:]? )${words.length < choices.length ? '?' : ''}`;
}

/**
 * Returns the call of the first phrase that a request equals, word by word. With `material`, a text that came with the request, only phrases that take it
 * count, and without it only the others: nobody sends a text along for nothing.
 */
export function matchPhrase(
  offers: readonly { readonly tool: Tool; readonly phrases: readonly ToolPhrase[] }[],
  text: string,
  material?: string,
): ToolMatch | undefined {
  const request = plainRequest(text);
  if (request === undefined || request === '') return undefined;
  const lower = request.toLowerCase();
  const marked = `${markWords(request)} `;
  for (const { tool, phrases } of offers) {
    for (const phrase of phrases) {
      if (!needed(phrase).every((words) => words.some((word) => lower.includes(word)))) continue;
      if (JSON.stringify(phrase.input).includes('"{material}"') !== (material !== undefined)) continue;
      const found = valuesOf(phrase, marked, text);
      if (material !== undefined) found?.set('material', material);
      const input = found && fillIn(phrase.input, found);
      if (input !== undefined && isValidCall(tool, input)) return { tool, input };
    }
  }
  return undefined;
}

function valuesOf(phrase: ToolPhrase, request: string, written: string): Map<string, string | number> | undefined {
  const { form, values } = compiled(phrase);
  const groups = form.exec(request);
  const found = [...values].map(([name, read]) => [name, read(groups?.groups?.[name] ?? '', written)] as const);
  const read = found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return groups === null || read.length < found.length ? undefined : new Map(read);
}

function fillIn(input: JsonObject, found: ReadonlyMap<string, string | number>): JsonObject {
  const filled = Object.entries(input).map(([key, text]) => {
    if (typeof text !== 'string') return [key, text];
    const whole = found.get(/^\{([a-z]+)\}$/i.exec(text)?.[1] ?? '');
    return [key, whole ?? text.replaceAll(/\{([a-z]+)\}/gi, (place, name: string) => String(found.get(name) ?? place))];
  });
  return Object.fromEntries(filled);
}
