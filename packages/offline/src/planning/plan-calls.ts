import type { JsonObject, Tool } from '@kernel/protocol';
import type { Matcher } from '../matching/matcher.ts';
import { fieldAsked, fieldOfFile, splitRequests } from './split-requests.ts';
import { isAction } from '../language/lexicon.ts';
import { findNegation } from '../language/negation.ts';
import { tokenize } from '../language/tokenize.ts';
import type { ToolMatch } from '../phrases/match-phrase.ts';
import type { Ask } from './read-ask.ts';

/** One call that a prompt asks for, and the fields of the result that it asks to see. */
interface PlannedCall extends ToolMatch {
  readonly fields: readonly string[];
}

/** The calls that a prompt asks for. */
export interface Plan {
  /** In the order of the prompt. */
  readonly calls: readonly PlannedCall[];
  /** Requests that no tool on offer fits, in the user's words. */
  readonly unmatched: readonly string[];
  /** The word that turns or limits the request, if there is one: then nothing is planned. */
  readonly negation?: string;
}

interface Draft extends PlannedCall {
  readonly fields: string[];
  /** Whether a phrase of the tool gave it: then what follows has to be one, too. */
  readonly isPhrase: boolean;
}

/** The longest prompt that is analysed, in characters: requests are short, and longer text needs a model. */
const MAX_PROMPT_LENGTH = 2000;

/** Plans the calls of a prompt, request by request. Deterministic: the same prompt and tools give the same plan. */
export function planCalls({ prompt, material }: Ask, matcher: Matcher): Plan {
  if (prompt.length > MAX_PROMPT_LENGTH || material === 'other') return { calls: [], unmatched: [prompt] };
  const phrase = matcher.matchPhrase(prompt, material?.text);
  if (phrase !== undefined) return { calls: [{ ...phrase, fields: [] }], unmatched: [] };
  if (material !== undefined) return { calls: [], unmatched: [prompt] };
  const negation = findNegation(prompt);
  if (negation !== undefined) return { calls: [], unmatched: [prompt], negation };
  const drafts: Draft[] = [];
  const unmatched: string[] = [];
  const skipped: string[] = [];
  let previousUnmatched: boolean = false;
  for (const text of splitRequests(prompt)) {
    const isPhrase = matcher.matchPhrase(text, undefined) !== undefined;
    if (!isPhrase && !tokenize(text).some(({ role }) => role === 'content') && matcher.match(text) === undefined) {
      if (!POLITE.test(text)) skipped.push(text);
      continue;
    }
    const previous: Draft | undefined = previousUnmatched ? undefined : drafts.at(-1);
    if (previousUnmatched && /^(?:the|a|an|of|in|about|on|with|my|your) /i.test(text)) {
      unmatched.push(`${unmatched.pop() ?? ''} and ${text}`);
      continue;
    }
    previousUnmatched = !assignRequest(text, matcher, drafts, previous);
    if (previousUnmatched) unmatched.push(text);
  }
  // `the first` in `the first and last line of notes.md` is a part of the request, though none of its words says of what.
  if (drafts.some(({ isPhrase }) => isPhrase)) unmatched.push(...skipped);
  const whole = unmatched.length > 0 ? matcher.match(prompt) : undefined;
  if (whole !== undefined) return { calls: [{ tool: whole.tool, input: whole.input, fields: [] }], unmatched: [] };
  return { calls: distinct(drafts), unmatched };
}

/** Adds the call of a request, or a field to the call before it. Returns whether there is one. */
function assignRequest(text: string, matcher: Matcher, drafts: Draft[], previous: Draft | undefined): boolean {
  const phrase = matcher.matchPhrase(text, undefined);
  if (phrase !== undefined) {
    if (previous !== undefined && !isOwnRequest(text, previous, phrase.tool)) return false;
    drafts.push({ ...phrase, fields: [], isPhrase: true });
    return true;
  }
  if (previous?.isPhrase === true) return false;
  const own = previous === undefined ? text : resolveIts(text, previous.input);
  if (own !== text) return assignRequest(own, matcher, drafts, undefined);
  if (previous !== undefined && /\b(?:its|their)\b/i.test(text) && askField(text, previous)) return true;
  const inFile = fieldOfFile(text);
  const found = matcher.match(inFile?.request ?? text);
  const isAlone = found !== undefined && standsAlone(text, found, previous);
  const match = isAlone ? found : previous && matcher.matchTool(previous.tool, text);
  if (match !== undefined)
    drafts.push({ ...match, fields: isAlone && inFile !== undefined ? [inFile.field] : [], isPhrase: false });
  return match !== undefined || (previous !== undefined && askField(text, previous));
}

const POLITE = /^(?:hi|hello|hey|ok|okay|please|thanks|thank you|many thanks)$/i;
const QUESTION = /^(?:what|whats|what's|what’s|which|when|how|where)$/i;

/**
 * Whether a phrase after another request is one of its own: `in 3 hours` and `yesterday` go on with the request before, and so may any question to the tool
 * that was asked before in other words.
 */
function isOwnRequest(text: string, previous: Draft, tool: Tool): boolean {
  const first = text.split(/\s+/)[0] ?? '';
  return (previous.isPhrase || previous.tool !== tool) && (QUESTION.test(first) || isAction(first));
}

/**
 * Whether a request means the same without the one before. It has to say what to do, which the file in `search for a in x.md and y.md` does not, and
 * to what, which neither `count` does in `search for a and count` nor `what day` in `what time is it in Tokyo and what day`.
 */
function standsAlone(text: string, { tool, input }: ToolMatch, previous: Draft | undefined): boolean {
  if (previous === undefined) return true;
  if (tool === previous.tool) return Object.keys(input).length > 0 || Object.keys(previous.input).length === 0;
  const tokens = tokenize(text).filter(({ role }) => role !== 'stop');
  const hasWord = tokens.length > 1 && tokens.some(({ kind }) => kind === 'word');
  return hasWord || tokens.some(({ kind }) => kind === 'expression');
}

function askField(text: string, previous: Draft): boolean {
  const field = fieldAsked(text);
  if (field === undefined || field.split(' ').length > 3) return false;
  previous.fields.push(field);
  return true;
}

/** Reads `its package.json` after a call for a folder as the file in that folder. */
function resolveIts(text: string, input: JsonObject): string {
  const folder = Object.values(input).find(
    (value) => typeof value === 'string' && /^[\w./@-]+$/.test(value) && !/\.[a-z]\w*$/i.test(value),
  );
  return typeof folder === 'string' ? text.replace(/\bits (?=\S+\.[a-z])/i, `${folder.replace(/\/$/, '')}/`) : text;
}

/** Drops equal calls, and a call without arguments that the same tool's next call repeats with some: `the date and time in UTC`. */
function distinct(drafts: readonly Draft[]): readonly PlannedCall[] {
  const calls = new Map<string, PlannedCall>();
  for (const [index, { tool, input, fields }] of drafts.entries()) {
    if (Object.keys(input).length === 0 && drafts[index + 1]?.tool === tool) continue;
    const key = `${tool.name} ${JSON.stringify(input)}`;
    const known = calls.get(key);
    calls.set(key, { tool, input, fields: [...(known?.fields ?? []), ...fields] });
  }
  return [...calls.values()];
}
