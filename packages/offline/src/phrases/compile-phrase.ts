import { type JsonObject, KernelError } from '@kernel/protocol';
import { MARK, plainRequest, POLITE } from './plain-request.ts';
import { KINDS, type Read, SEARCH_KINDS } from './value-kinds.ts';

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

export interface CompiledPhrase {
  /** Matches a request with its words marked, and a space at its end. */
  readonly form: RegExp;
  /** By name, how the text of a value is read; `undefined` means that the phrase does not fit. */
  readonly values: ReadonlyMap<string, Read>;
  readonly takesMaterial: boolean;
}

const ALL_KINDS = new Map([...Object.entries(KINDS), ...Object.entries(SEARCH_KINDS)]);

/**
 * The words that a request must have for a phrase to fit, each as one of several, in lower case: of hundreds of phrases only a few are then compiled. Words
 * that `plainRequest` leaves out are not among them.
 */
export function neededWords({ text }: ToolPhrase): readonly (readonly string[])[] {
  const words = text.toLowerCase().split(' ');
  return words.filter((word) => !word.includes('{') && !word.endsWith('|)') && !POLITE.has(word)).map(choicesOf);
}

/** `(is|are)` as its words. */
function choicesOf(part: string): readonly string[] {
  return (part.startsWith('(') ? part.slice(1, -1) : part).split('|');
}

export function compilePhrase({ input, text }: ToolPhrase): CompiledPhrase {
  const values = new Map<string, Read>();
  const parts = (plainRequest(text) ?? '').split(' ').map((part) => {
    const [, name, kind = 'words'] = /^\{([a-z]+)(?::([a-z]+))?\}$/i.exec(part) ?? [];
    if (name === undefined) return wordForm(choicesOf(part));
    const known = ALL_KINDS.get(kind);
    if (known === undefined)
      throw new KernelError('CONFIG_INVALID', `The phrase "${text}" has a value of the kind "${kind}".`, {
        hint: `Kinds are ${Object.keys(KINDS).join(', ')}.`,
      });
    values.set(name, known[1]);
    return `(?<${name}>${known[0]}) `;
  });
  const takesMaterial = JSON.stringify(input).includes('"{material}"');
  return { form: new RegExp(`^${parts.join('')}$`, 'i'), values, takesMaterial };
}

function wordForm(choices: readonly string[]): string {
  const words = choices.filter((choice) => choice !== '');
  const form = words.map((word) => word.replaceAll(/[$()*+.?[\]^{}]/g, String.raw`\$&`)).join('|');
  return `(?:${MARK}?(?:${form})[,:]? )${words.length < choices.length ? '?' : ''}`;
}
