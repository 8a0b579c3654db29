import { hasAsciiLetters } from '../language/by-script.ts';
import { isIdentifier } from '../language/tokenize.ts';
import type { Slot } from './argument-slots.ts';
import { claim, endOfRun, findFree, isUnclaimed, type SlotFilling } from './slot-filling.ts';

const CUES = /^(?:in|for|at|of|to|from|near|named|called|with|as|about)$/;
const CLASS_WORDS = /^(?:string|words?|phrase|text|term|name|symbol|function|class|type|variable|identifier)$/;

/** Fills what follows the argument's own name: `to miles` for an argument `to`. */
export function fillNamedText(filling: SlotFilling, { name, concepts }: Slot): string | undefined {
  const own = name.toLowerCase();
  const at = filling.tokens.findIndex(
    ({ lower, role, concept }, index) =>
      (lower === own || (role !== 'stop' && concept === concepts.at(-1))) && isUnclaimed(filling, index + 1),
  );
  if (at === -1) return undefined;
  const to = filling.tokens[at]?.lower === own ? at + 1 : endOfRun(filling, at + 1);
  return claim(filling, at + 1, to, 'exact', 0.35);
}

/** Fills text that is marked by quotes, by the form of an identifier or by a word before it. */
export function fillMarkedText(filling: SlotFilling, { kind }: Slot): string | undefined {
  const quoted = findFree(filling, (token) => token.kind === 'quoted');
  if (quoted !== -1) return claim(filling, quoted, quoted, 'exact', 0.4);
  if (kind === 'search') {
    const name = findFree(filling, (token) => token.kind === 'word' && token.role === 'content' && isIdentifier(token));
    if (name !== -1) return claim(filling, name, name, 'exact', 0.45);
  }
  const saying = kind === 'text' ? findFree(filling, ({ lower }) => lower === 'saying') : -1;
  const last = filling.tokens.length - 1;
  if (saying !== -1 && saying < last && !filling.used.has(last)) {
    claim(filling, saying, saying, 'exact', 0);
    return claim(filling, saying + 1, last, 'exact', 0.3);
  }
  const at = filling.tokens.findIndex(
    ({ lower }, index) => (kind === 'search' ? lower === 'for' : CUES.test(lower)) && isUnclaimed(filling, index + 1),
  );
  if (at === -1) return undefined;
  const [how, evidence] = kind === 'search' ? (['free', 0] as const) : (['exact', 0.3] as const);
  return claim(filling, at + 1, endOfRun(filling, at + 1), how, evidence);
}

function startsWithCapital(text: string): boolean {
  return hasAsciiLetters(text) ? /^[A-Z]/.test(text) : /^\p{Lu}/u.test(text);
}

/** Fills the first run of remaining words. It adds no evidence: they could be anything. */
export function fillRemaining(filling: SlotFilling, { kind }: Slot): string | undefined {
  const free = filling.tokens.flatMap((token, index) => (isUnclaimed(filling, index) ? [{ token, index }] : []));
  const capital = free.find(({ token, index }) => index > 0 && startsWithCapital(token.text));
  // Words for files are not search terms, and `my keys` are not in a workspace.
  const searched = free.find(
    ({ token, index }) =>
      !/^(?:files?|folders?|director(?:y|ies))$/.test(token.lower) && filling.tokens[index - 1]?.lower !== 'my',
  );
  const from = (kind === 'search' ? searched : (capital ?? free[0]))?.index;
  if (from === undefined) return undefined;
  const to = endOfRun(filling, from);
  const isClassed = kind === 'search' && to > from && CLASS_WORDS.test(filling.tokens[from]?.lower ?? '');
  if (isClassed) claim(filling, from, from, 'exact', 0);
  return claim(filling, isClassed ? from + 1 : from, to, 'free', 0);
}
