const MARK = '[redacted]';
const MIN_LENGTH = 4;

/** Takes known secrets out of text and data. */
export interface Redactor {
  /** Whether there is a secret to look for. */
  hasSecrets(): boolean;
  /** Adds a secret; values under 4 characters stand in every text and are ignored. */
  add(secret: string | undefined): void;
  /** The text with every known secret, spelled plainly or as JSON, URL or base64 would write it, replaced by `[redacted]`. */
  text(text: string): string;
  /** A copy of JSON data with every string and every key redacted; binary views and other values stay as they are. */
  data<T>(value: T): T;
  /** A redactor for text that arrives in pieces, with the secrets known so far. */
  stream(): StreamRedactor;
}

/** Takes secrets out of text that arrives in pieces, also where a piece ends in the middle of a secret. */
export interface StreamRedactor {
  /** Returns what is safe to show: all but an end that could be the beginning of a secret. */
  push(piece: string): string;
  /** Returns what was held back. */
  end(): string;
}

/** Creates a redactor with some secrets. Longer secrets go first, so that none survives as the rest of a shorter one. */
export function createRedactor(secrets: Iterable<string | undefined> = []): Redactor {
  const forms = new Set<string>();
  let ordered: readonly string[] = [];
  const add = (secret: string | undefined): void => {
    if (secret === undefined || secret.length < MIN_LENGTH || forms.has(secret)) return;
    for (const form of formsOf(secret)) if (form.length >= MIN_LENGTH) forms.add(form);
    ordered = [...forms].toSorted((a, b) => b.length - a.length);
  };
  for (const secret of secrets) add(secret);
  const text = (given: string): string => replaceAll(given, ordered);
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map((item: unknown) => clean(item));
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), clean(item)]));
  };
  return {
    hasSecrets: () => ordered.length > 0,
    add,
    text,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy has the shape of its original
    data: <T>(value: T): T => (ordered.length === 0 ? value : (clean(value) as T)),
    stream: () => createStreamRedactor(ordered),
  };
}

function createStreamRedactor(forms: readonly string[]): StreamRedactor {
  if (forms.length === 0) return { push: (piece) => piece, end: () => '' };
  const longest = forms[0]?.length ?? 0;
  let held = '';
  return {
    push(piece) {
      const clean = replaceAll(held + piece, forms);
      let keep = Math.min(longest - 1, clean.length);
      while (keep > 0 && !forms.some((form) => form.length > keep && form.startsWith(clean.slice(-keep)))) keep -= 1;
      held = keep === 0 ? '' : clean.slice(-keep);
      return clean.slice(0, clean.length - keep);
    },
    end() {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

function replaceAll(text: string, forms: readonly string[]): string {
  let clean = text;
  for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, () => MARK);
  return clean;
}

function formsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replace(/=+$/, '');
  // A lone surrogate cannot be percent-encoded; decoding the bytes replaces it first.
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(new TextDecoder().decode(bytes)), base64];
}
