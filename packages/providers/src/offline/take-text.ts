import { NEUTRAL_NOUNS } from './lexicon.ts';
import type { Slot } from './slots.ts';
import { isFree, runEnd, take, type Taking, textBetween } from './taking.ts';
import { isIdentifier } from './tokens.ts';

const PLACE_CUES = new Set(['in', 'for', 'at', 'of', 'to', 'from', 'near', 'around']);
const TEXT_CUES = new Set(['named', 'called', 'for', 'to', 'with', 'as', 'of', 'about', 'in']);
const MESSAGE_CUES = ['saying', 'says', 'say', 'reading', 'that', 'message', 'text', 'note'];
const COMMANDS = /^(?:grep|rg|ack|ag)$/;
const CLASS_WORDS = /^(?:string|word|words|phrase|text|term|name|symbol|function|class|type|variable|identifier)$/;

/** Takes text that is marked: by quotes, by looking like a name from code, by the argument's own name, or by a preposition. */
export function takeMarkedText(taking: Taking, slot: Slot): string | undefined {
  const quoted = taking.tokens.findIndex((token, index) => token.kind === 'quoted' && !taking.used.has(index));
  if (quoted !== -1) return taken(taking, quoted, quoted, 'exact', 0.4);
  if (slot.kind === 'search') {
    const name = taking.tokens.findIndex(
      (token, index) =>
        token.kind === 'word' && token.role === 'content' && !taking.used.has(index) && isIdentifier(token),
    );
    if (name !== -1) return taken(taking, name, name, 'exact', 0.45);
  }
  return (slot.kind === 'message' ? tailText(taking) : undefined) ?? afterCue(taking, slot);
}

/** Takes the first run of left-over words. Says nothing for the tool: anything could stand there. */
export function takeLeftOver(taking: Taking, slot: Slot): string | undefined {
  const capital = taking.tokens.findIndex(
    (token, index) => isFree(taking, index) && index > 0 && /^\p{Lu}/u.test(token.text),
  );
  const first = taking.tokens.findIndex(
    (_, index) => isFree(taking, index) && !(slot.kind === 'search' && isNoQuery(taking, index)),
  );
  const from = slot.kind === 'text' || slot.kind === 'place' ? (capital === -1 ? first : capital) : first;
  if (from === -1) return slot.kind === 'search' ? takeNeutral(taking) : undefined;
  const to = runEnd(taking, from);
  const isClassed = slot.kind === 'search' && to > from && CLASS_WORDS.test(taking.tokens[from]?.lower ?? '');
  const isCommand = slot.kind === 'search' && COMMANDS.test(taking.tokens[0]?.lower ?? '');
  if (isClassed) take(taking, from, from, 'exact', 0);
  return taken(taking, isClassed ? from + 1 : from, isCommand ? from : to, 'free', 0);
}

/** Words for files themselves are no search term, and `my keys` are not in a workspace. */
function isNoQuery(taking: Taking, index: number): boolean {
  const isFileWord = /^(?:files?|folders?|director(?:y|ies))$/.test(taking.tokens[index]?.lower ?? '');
  return isFileWord || taking.tokens[index - 1]?.lower === 'my';
}

/** `where is answer mentioned` searches for "answer", a word that asks for nothing in most other places. */
function takeNeutral(taking: Taking): string | undefined {
  const at = taking.tokens.findIndex(
    ({ concept }, index) =>
      index > 0 && NEUTRAL_NOUNS.has(concept) && !taking.used.has(index) && !taking.terms.has(concept),
  );
  return at === -1 ? undefined : taken(taking, at, at, 'free', 0);
}

/** Takes what stands after the argument's own name: `to miles` for an argument `to`. */
export function takeNamedText(taking: Taking, slot: Slot): string | undefined {
  const own = slot.concepts.at(-1);
  const bare = slot.name.toLowerCase();
  const at = taking.tokens.findIndex(
    (token, index) =>
      (token.lower === bare || (token.role !== 'stop' && token.concept === own)) && isFree(taking, index + 1),
  );
  if (at === -1) return undefined;
  return taken(taking, at + 1, bare === taking.tokens[at]?.lower ? at + 1 : runEnd(taking, at + 1), 'exact', 0.35);
}

function afterCue(taking: Taking, slot: Slot): string | undefined {
  const cues = slot.kind === 'place' ? PLACE_CUES : slot.kind === 'search' ? new Set(['for']) : TEXT_CUES;
  const at = taking.tokens.findIndex(
    ({ lower }, index) =>
      (cues.has(lower) || (slot.kind !== 'search' && taking.cues.has(lower))) && isFree(taking, index + 1),
  );
  if (at === -1) return undefined;
  return taken(
    taking,
    at + 1,
    runEnd(taking, at + 1),
    slot.kind === 'search' ? 'free' : 'exact',
    slot.kind === 'search' ? 0 : 0.3,
  );
}

function tailText(taking: Taking): string | undefined {
  const cues = MESSAGE_CUES.map((cue) =>
    taking.tokens.findIndex(
      ({ lower }, index) => lower === cue && index + 1 < taking.tokens.length && !taking.used.has(index + 1),
    ),
  );
  const at = cues.find((index) => index !== -1) ?? -1;
  const end = taking.tokens.findLastIndex((_, index) => !taking.used.has(index));
  if (at === -1 || end <= at) return undefined;
  take(taking, at, at, 'exact', 0);
  return taken(taking, at + 1, end, 'exact', 0.3);
}

function taken(taking: Taking, from: number, to: number, how: 'exact' | 'free', evidence: number): string {
  const text = textBetween(taking, from, to);
  take(taking, from, to, how, evidence);
  return text;
}
