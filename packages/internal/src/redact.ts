import { isObject } from './json.ts';
import type { Range } from './key-shapes.ts';
import { createSecretSearch, createView, type SecretSearch, unfinishedEscape } from './secret-search.ts';

const MARK = '[redacted]';
/** How many characters of the text before a piece of a stream are read again. */
const CONTEXT_LENGTH = 64;
/** The least that a stream holds back of a match that has no end. */
const MIN_HELD = 1024;
const PLAIN: ReadonlySet<unknown> = new Set([Object.prototype, null]);

export interface Redactor {
  add(secret: string | undefined): void;
  /**
   * The text with every secret replaced by `[redacted]`: those added, spelled plainly or as JSON, a URL (also within a URL) or base64 would, parts of them that
   * are longer than 8 characters, the keys of well-known vendors and private keys of PEM files. Redact before a text is cut.
   */
  text(text: string): string;
  /** JSON data with every string and every key redacted: a copy, or the value itself if it holds no secret. Other values stay as they are. */
  data<T>(value: T): T;
  /** A redactor for text that arrives in pieces, with the secrets known so far. */
  stream(): StreamRedactor;
}

export interface StreamRedactor {
  /** Returns what is safe to show: all but an end that could be the beginning of a secret. */
  push(piece: string): string;
  /** Returns what was held back. Nothing may be pushed after it. */
  end(): string;
}

export function createRedactor(secrets: Iterable<string | undefined> = []): Redactor {
  const secretSearch = createSecretSearch();
  for (const secret of secrets) secretSearch.add(secret);
  const text = (given: string): string => {
    const view = createView(given);
    const found = secretSearch.find(view === undefined ? given : view.text);
    if (found.length === 0) return given;
    return replace(given, view === undefined ? found : found.map(view.toRange), 0, given.length);
  };
  return {
    add: (secret) => secretSearch.add(secret),
    text,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy has the shape of its original
    data: <T>(value: T): T => redactData(value, text) as T,
    stream: () => createStreamRedactor(secretSearch),
  };
}

/** A copy of data, made without recursion: it may be nested deeper than the stack, or contain itself. */
function redactData(root: unknown, redact: (text: string) => string): unknown {
  const copies = new Map<object, Record<PropertyKey, unknown>>();
  const pending: object[] = [];
  let changed = false;
  const text = (given: string): string => {
    const clean = redact(given);
    changed ||= clean !== given;
    return clean;
  };
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    const isList = Array.isArray(value);
    if (!isList && (!isObject(value) || !PLAIN.has(Object.getPrototypeOf(value)))) return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a list is filled by index
    const copy = (isList ? [] : {}) as Record<PropertyKey, unknown>;
    copies.set(value, copy);
    pending.push(value);
    return copy;
  };
  const copy = clean(root);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const target = copies.get(next) ?? {};
    if (Array.isArray(next)) for (let at = 0; at < next.length; at += 1) target[at] = clean(next[at]);
    else if (isObject(next))
      for (const key of Object.keys(next)) {
        const value = clean(next[key]);
        // An assignment to __proto__ would set the prototype.
        if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, writable: true });
        else target[text(key)] = value;
      }
  }
  return changed ? copy : root;
}

function createStreamRedactor(secretSearch: SecretSearch): StreamRedactor {
  const maxHeld = 2 * Math.max(MIN_HELD, 2 * secretSearch.longest());
  let context = '';
  let held = '';
  const take = (text: string, isEnd: boolean): string => {
    const start = context.length;
    const all = context + text;
    const whole = isEnd ? all : all.slice(0, all.length - unfinishedEscape(all));
    const view = createView(whole) ?? { text: whole, toRange: (range: Range) => range };
    const ranges = secretSearch.find(view.text);
    let cut = isEnd ? view.text.length : secretSearch.beginningAt(view.text);
    const crossing = ranges.find(([from, to]) => from < cut && (to > cut || (!isEnd && to === view.text.length)));
    if (crossing !== undefined) [cut] = crossing;
    const end = Math.max(start, cut === view.text.length ? whole.length : view.toRange([cut, cut])[0]);
    const clean = end === start ? '' : replace(all, ranges.map(view.toRange), start, end);
    held = all.slice(end);
    if (crossing !== undefined && held.length > maxHeld)
      held = held.slice(0, maxHeld / 2) + held.slice(held.length - maxHeld / 2); // all of it is redacted: its middle is not needed
    context = all.slice(Math.max(0, end - CONTEXT_LENGTH), end);
    return clean;
  };
  return { push: (piece) => take(held + piece, false), end: () => take(held, true) };
}

/** Replaces the ranges that end after `start` and begin before `end`, and returns that part of the text. */
function replace(text: string, ranges: readonly Range[], start: number, end: number): string {
  if (ranges.length === 0) return start === 0 && end === text.length ? text : text.slice(start, end);
  let clean = '';
  let done = start;
  for (const [from, to] of ranges) {
    if (to <= start || from >= end) continue;
    clean += text.slice(done, Math.max(done, from)) + MARK;
    done = to;
  }
  return clean + text.slice(done, Math.max(done, end));
}
