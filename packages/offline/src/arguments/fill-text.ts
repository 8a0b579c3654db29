import { NEUTRAL_NOUNS } from '../language/lexicon.ts';
import type { Slot } from './argument-slots.ts';
import { isUnclaimed, endOfRun, claim, type SlotFilling, textBetween } from './slot-filling.ts';
import { isIdentifier } from '../language/tokenize.ts';

const PLACE_CUES = new Set(['in', 'for', 'at', 'of', 'to', 'from', 'near', 'around']);
const TEXT_CUES = new Set(['named', 'called', 'for', 'to', 'with', 'as', 'of', 'about', 'in']);
const MESSAGE_CUES = ['saying', 'says', 'say', 'reading', 'that', 'message', 'text', 'note'];
const COMMANDS = /^(?:grep|rg|ack|ag)$/;
const CLASS_WORDS = /^(?:string|word|words|phrase|text|term|name|symbol|function|class|type|variable|identifier)$/;

/** Fills text that is marked by quotes, by the form of an identifier, by the argument's own name or by a preposition. */
export function fillMarkedText(filling: SlotFilling, slot: Slot): string | undefined {
  const quoted = filling.tokens.findIndex((token, index) => token.kind === 'quoted' && !filling.used.has(index));
  if (quoted !== -1) return claimText(filling, quoted, quoted, 'exact', 0.4);
  if (slot.kind === 'search') {
    const name = filling.tokens.findIndex(
      (token, index) =>
        token.kind === 'word' && token.role === 'content' && !filling.used.has(index) && isIdentifier(token),
    );
    if (name !== -1) return claimText(filling, name, name, 'exact', 0.45);
  }
  return (slot.kind === 'message' ? tailText(filling) : undefined) ?? afterCue(filling, slot);
}

/** Fills the first run of remaining words. It adds no evidence: they could be anything. */
export function fillRemaining(filling: SlotFilling, slot: Slot): string | undefined {
  const capital = filling.tokens.findIndex(
    (token, index) => isUnclaimed(filling, index) && index > 0 && /^\p{Lu}/u.test(token.text),
  );
  const first = filling.tokens.findIndex(
    (_, index) => isUnclaimed(filling, index) && !(slot.kind === 'search' && cannotBeQuery(filling, index)),
  );
  const from = slot.kind === 'text' || slot.kind === 'place' ? (capital === -1 ? first : capital) : first;
  if (from === -1) return slot.kind === 'search' ? fillNeutral(filling) : undefined;
  const to = endOfRun(filling, from);
  const isClassed = slot.kind === 'search' && to > from && CLASS_WORDS.test(filling.tokens[from]?.lower ?? '');
  const isCommand = slot.kind === 'search' && COMMANDS.test(filling.tokens[0]?.lower ?? '');
  if (isClassed) claim(filling, from, from, 'exact', 0);
  return claimText(filling, isClassed ? from + 1 : from, isCommand ? from : to, 'free', 0);
}

/** Words for files are not search terms, and `my keys` are not in a workspace. */
function cannotBeQuery(filling: SlotFilling, index: number): boolean {
  const isFileWord = /^(?:files?|folders?|director(?:y|ies))$/.test(filling.tokens[index]?.lower ?? '');
  return isFileWord || filling.tokens[index - 1]?.lower === 'my';
}

/** `where is answer mentioned` searches for "answer", a word that elsewhere means nothing in particular. */
function fillNeutral(filling: SlotFilling): string | undefined {
  const at = filling.tokens.findIndex(
    ({ concept }, index) =>
      index > 0 && NEUTRAL_NOUNS.has(concept) && !filling.used.has(index) && !filling.terms.has(concept),
  );
  return at === -1 ? undefined : claimText(filling, at, at, 'free', 0);
}

/** Fills what follows the argument's own name: `to miles` for an argument `to`. */
export function fillNamedText(filling: SlotFilling, slot: Slot): string | undefined {
  const own = slot.concepts.at(-1);
  const bare = slot.name.toLowerCase();
  const at = filling.tokens.findIndex(
    (token, index) =>
      (token.lower === bare || (token.role !== 'stop' && token.concept === own)) && isUnclaimed(filling, index + 1),
  );
  if (at === -1) return undefined;
  return claimText(
    filling,
    at + 1,
    bare === filling.tokens[at]?.lower ? at + 1 : endOfRun(filling, at + 1),
    'exact',
    0.35,
  );
}

function afterCue(filling: SlotFilling, slot: Slot): string | undefined {
  const cues = slot.kind === 'place' ? PLACE_CUES : slot.kind === 'search' ? new Set(['for']) : TEXT_CUES;
  const at = filling.tokens.findIndex(
    ({ lower }, index) =>
      (cues.has(lower) || (slot.kind !== 'search' && filling.cues.has(lower))) && isUnclaimed(filling, index + 1),
  );
  if (at === -1) return undefined;
  return claimText(
    filling,
    at + 1,
    endOfRun(filling, at + 1),
    slot.kind === 'search' ? 'free' : 'exact',
    slot.kind === 'search' ? 0 : 0.3,
  );
}

function tailText(filling: SlotFilling): string | undefined {
  const cues = MESSAGE_CUES.map((cue) =>
    filling.tokens.findIndex(
      ({ lower }, index) => lower === cue && index + 1 < filling.tokens.length && !filling.used.has(index + 1),
    ),
  );
  const at = cues.find((index) => index !== -1) ?? -1;
  const end = filling.tokens.findLastIndex((_, index) => !filling.used.has(index));
  if (at === -1 || end <= at) return undefined;
  claim(filling, at, at, 'exact', 0);
  return claimText(filling, at + 1, end, 'exact', 0.3);
}

function claimText(filling: SlotFilling, from: number, to: number, how: 'exact' | 'free', evidence: number): string {
  const text = textBetween(filling, from, to);
  claim(filling, from, to, how, evidence);
  return text;
}
