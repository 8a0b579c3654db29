import { isObject } from './json.ts';

const MARK = '[redacted]';
const MIN_LENGTH = 4;
const PLAIN: ReadonlySet<unknown> = new Set([Object.prototype, null]);

/** Takes known secrets out of text and data. */
export interface Redactor {
  /** Adds a secret; values under 4 characters stand in every text and are ignored. */
  add(secret: string | undefined): void;
  /** The text with every known secret, spelled plainly or as JSON, a URL or base64 would, replaced by `[redacted]`. */
  text(text: string): string;
  /** A copy of JSON data with every string and every key redacted. Values that JSON does not have, such as dates, stay as they are. */
  data<T>(value: T): T;
  /** A redactor for text that arrives in pieces, with the secrets known so far. */
  stream(): StreamRedactor;
}

/** Takes secrets out of text that arrives in pieces, even if a piece ends in the middle of a secret. */
export interface StreamRedactor {
  /** Returns what is safe to show: all but an end that could be the beginning of a secret. */
  push(piece: string): string;
  /** Returns what was held back. Nothing may be pushed after it. */
  end(): string;
}

/** Creates a redactor with some secrets. Longer secrets go first, so that none survives as the rest of a shorter one. */
export function createRedactor(secrets: Iterable<string | undefined> = []): Redactor {
  const forms = new Set<string>();
  let ordered: readonly string[] = [];
  const add = (secret: string | undefined): void => {
    if (secret === undefined || secret.length < MIN_LENGTH) return;
    for (const form of formsOf(secret)) if (form.length >= MIN_LENGTH) forms.add(form);
    ordered = [...forms].toSorted((a, b) => b.length - a.length);
  };
  for (const secret of secrets) add(secret);
  const text = (given: string): string => replaceAll(given, ordered);
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map((item: unknown) => clean(item));
    if (!isObject(value) || !PLAIN.has(Object.getPrototypeOf(value))) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), clean(item)]));
  };
  return {
    add,
    text,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy has the shape of its original
    data: <T>(value: T): T => (ordered.length === 0 ? value : (clean(value) as T)),
    stream: () => createStreamRedactor(ordered),
  };
}

function createStreamRedactor(forms: readonly string[]): StreamRedactor {
  let held = '';
  return {
    push(piece) {
      const text = held + piece;
      const cut = safeLength(text, forms);
      held = text.slice(cut);
      return replaceAll(text.slice(0, cut), forms);
    },
    end: () => replaceAll(held, forms),
  };
}

/** The length of the text that later pieces cannot affect: all but an end that may begin a form; no form is cut in two. */
function safeLength(text: string, forms: readonly string[]): number {
  let cut = text.length - Math.min((forms[0]?.length ?? 1) - 1, text.length);
  while (
    cut < text.length &&
    !forms.some((form) => form.length > text.length - cut && form.startsWith(text.slice(cut)))
  )
    cut += 1;
  for (const form of forms) {
    const at = text.lastIndexOf(form, cut - 1);
    if (at !== -1 && at + form.length > cut) cut = at;
  }
  return cut;
}

/** Replaces every occurrence of every form, overlapping ones together, so that no end of one survives another. */
function replaceAll(text: string, forms: readonly string[]): string {
  const ranges = forms.flatMap((form) => [...rangesOf(text, form)]).toSorted(([a], [b]) => a - b);
  let clean = '';
  let end = 0;
  for (const [from, to] of ranges) {
    if (from >= end) clean += text.slice(end, from) + MARK;
    end = Math.max(end, to);
  }
  return end === 0 ? text : clean + text.slice(end);
}

function* rangesOf(text: string, form: string): Generator<readonly [from: number, to: number]> {
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) yield [at, at + form.length];
}

function formsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replace(/={1,2}$/, '');
  const url = encodeURIComponent(new TextDecoder().decode(bytes)); // decoded, for a lone surrogate cannot be encoded
  return [secret, quoted(secret), quoted(quoted(secret)), url, base64];
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
