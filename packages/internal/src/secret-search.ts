import { findKeys, keyBeginningAt, NONE, type Range } from './key-shapes.ts';

/** The length of the shortest value that is redacted: shorter ones occur in every text. */
export const MIN_SECRET_LENGTH = 4;
/**
 * The length of the shortest value that is taken for a secret although nobody called it one, such as a variable of an environment: shorter
 * ones are settings like `true`, `test` or `8080`, which would black out half of a text.
 */
export const MIN_GUESSED_SECRET_LENGTH = 6;
/** The same for a segment of a URL's path: shorter ones are words and versions. */
export const MIN_SECRET_SEGMENT_LENGTH = 20;
/** The most characters of a key that can be left where only a part of it is in a text. */
const MAX_FRAGMENT = 8;
export type SecretSearch = ReturnType<typeof createSecretSearch>;

export function createSecretSearch() {
  const forms = new Set<string>();
  const whole = new Set<string>();
  const fragments = createFragmentSearch();
  return {
    /** Adds a secret; values shorter than `MIN_SECRET_LENGTH` are ignored. */
    add(secret: string | undefined): void {
      if (secret === undefined || secret.length < MIN_SECRET_LENGTH) return;
      for (const form of formsOf(secret)) {
        forms.add(form);
        if (!fragments.add(form)) whole.add(form);
      }
    },
    /** Where secrets are, parts of them that are longer than 8 characters, and keys of well-known vendors; in order. */
    find(view: string): readonly Range[] {
      const keys = findKeys(view);
      if (forms.size === 0) return keys.length < 2 ? keys : merge(keys);
      const all = [...keys, ...fragments.search(view)];
      for (const form of whole) addRanges(view, form, all);
      return merge(all);
    },
    /** Where the end of a text begins that later text could make a secret; the length of the text if there is none. */
    beginningAt: (view: string): number => beginningOf(view, forms),
    longest: (): number => Math.max(0, ...[...forms].map((form) => form.length)),
  };
}

function beginningOf(view: string, forms: Iterable<string>): number {
  let cut = view.length;
  for (const form of forms) {
    const [first = ''] = form;
    let at = view.indexOf(first, Math.max(0, view.length - form.length + 1));
    while (at !== -1 && at < cut && !form.startsWith(view.slice(at))) at = view.indexOf(first, at + 1);
    if (at !== -1) cut = Math.min(cut, at);
  }
  return Math.min(cut, keyBeginningAt(view));
}

/** Joins overlapping ranges, so that no end of one secret survives another. */
function merge(ranges: readonly Range[]): readonly Range[] {
  const merged: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last === undefined || from >= last[1]) merged.push([from, to]);
    else last[1] = Math.max(last[1], to);
  }
  return merged;
}

function addRanges(text: string, form: string, ranges: Range[]): void {
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) ranges.push([at, at + form.length]);
}

/** A path or address as a secret: its parts occur in other paths. So do the words of a text with spaces. */
const HAS_COMMON_PARTS = /^(?:[/.~]|[A-Za-z]:[\\/])|:\/\/|\s/;

/** A number for the two characters that end at a place. */
function blockAt(text: string, at: number): number {
  return (text.charCodeAt(at - 1) * 33 + text.charCodeAt(at)) & 4095;
}

/** Finds parts of secrets that are longer than `MAX_FRAGMENT` characters, by the algorithm of Wu and Manber: most of a text is skipped. */
function createFragmentSearch() {
  const size = MAX_FRAGMENT + 1;
  const parts = new Set<string>();
  let shifts: Uint8Array | undefined;
  return {
    /** Adds a form; returns false for one of which only the whole is a secret. */
    add(form: string): boolean {
      if (form.length < size || HAS_COMMON_PARTS.test(form)) return false;
      shifts ??= new Uint8Array(4096).fill(MAX_FRAGMENT);
      for (let at = 0; at + size <= form.length; at += 1) parts.add(form.slice(at, at + size));
      for (let at = 1; at < form.length; at += 1) {
        const block = blockAt(form, at);
        shifts[block] = Math.min(shifts[block] ?? 0, Math.max(0, MAX_FRAGMENT - at));
      }
      return true;
    },
    search(text: string): readonly Range[] {
      if (shifts === undefined) return NONE;
      const ranges: [number, number][] = [];
      for (let at = MAX_FRAGMENT; at < text.length;) {
        const shift = shifts[blockAt(text, at)] ?? 0;
        if (shift === 0 && parts.has(text.slice(at - MAX_FRAGMENT, at + 1))) {
          const last = ranges.at(-1);
          if (last !== undefined && last[1] > at - MAX_FRAGMENT) last[1] = at + 1;
          else ranges.push([at - MAX_FRAGMENT, at + 1]);
        }
        at += shift === 0 ? 1 : shift;
      }
      return ranges;
    },
  };
}

/** The spellings of a secret that decoding does not undo. */
function formsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const wellFormed = new TextDecoder().decode(bytes); // a URL cannot hold a lone surrogate
  const forms = [secret, wellFormed, secret.replaceAll(' ', '+')].map((form) => createView(form)?.text ?? form);
  // Within more bytes, as in `user:key`, a secret can begin at any of the three places of a group of base64.
  for (const [offset, from] of [0, 2, 3].entries()) {
    const all =
      String.fromCharCode(...new Uint8Array(offset)) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
    const base64 = btoa(all).replace(/=+$/, '').slice(from);
    // The last character of a form also holds bits of what follows, unless the secret ends with its group.
    for (const form of [base64, base64.slice(0, Math.floor((all.length * 8) / 6) - from)])
      if (form.length > MIN_SECRET_LENGTH) forms.push(form, form.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms.filter((form, index) => form.length >= MIN_SECRET_LENGTH && forms.indexOf(form) === index);
}

const ESCAPE = /(?:%(?:25)*[\dA-Fa-f]{2})+|\\+(?:u[\dA-Fa-f]{4}|["/bfnrt])|\\{2,}/g;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Undoes the escapes of JSON and URLs in a text, with the ranges as they were given. Undefined if it has none. */
export function createView(given: string): { text: string; toRange: (range: Range) => Range } | undefined {
  if (!given.includes('\\') && !given.includes('%')) return undefined;
  let text = '';
  let done = 0;
  const escapes: { readonly at: number; readonly end: number; readonly from: number; readonly to: number }[] = [];
  for (const { 0: escape, index } of given.matchAll(ESCAPE)) {
    text += given.slice(done, index);
    const at = text.length;
    text += unescape(escape);
    done = index + escape.length;
    escapes.push({ at, end: text.length, from: index, to: done });
  }
  text += given.slice(done);
  /** The place in the given text; of a character within an escape, where that begins or ends. */
  const placeOf = (at: number, side: 'from' | 'to'): number => {
    let low = 0;
    for (let high = escapes.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((escapes[middle]?.at ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    const before = escapes[low - 1];
    if (before === undefined) return at;
    if (at >= before.end) return before.to + at - before.end;
    const isAscii = before.to - before.from === 3 * (before.end - before.at);
    return isAscii ? before.from + 3 * (at - before.at) : before[side];
  };
  return { text, toRange: ([from, to]) => [placeOf(from, 'from'), placeOf(to, 'to')] };
}

function unescape(escape: string): string {
  if (escape.startsWith('%')) {
    // A URL within a URL is encoded twice.
    const once = escape.replaceAll(/%(?:25)+(?=[\dA-Fa-f]{2})/g, '%');
    try {
      return decodeURIComponent(once);
    } catch {
      return once.replaceAll(/%(..)/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    }
  }
  if (escape.at(-5) === 'u') return String.fromCharCode(Number.parseInt(escape.slice(-4), 16));
  const last = escape.slice(-1);
  return CONTROLS[last] ?? last;
}

/** The length of an escape, or of the first half of a character, that the end of a text cuts off. */
export function unfinishedEscape(text: string): number {
  const end =
    /(?:(?:%[89A-Fa-f][\dA-Fa-f]){0,4}%(?:25)*[\dA-Fa-f]?|(?:%[89A-Fa-f][\dA-Fa-f]){1,4}|\\+(?:u[\dA-Fa-f]{0,3})?|[\uD800-\uDBFF])$/;
  return end.exec(text.slice(-24))?.[0].length ?? 0;
}
