import type { JsonObject, Tool } from '@kernel/protocol';
import { isAction } from '../language/lexicon.ts';
import { findNegation } from '../language/negation.ts';
import { tokenize } from '../language/tokenize.ts';
import type { Matcher } from '../matching/matcher.ts';
import type { ToolMatch } from '../phrases/match-phrase.ts';
import type { Ask } from './read-ask.ts';
import { readField, splitRequests } from './split-requests.ts';

export interface Plan {
  readonly calls: readonly (ToolMatch & { readonly fields: readonly string[] })[];
  /** The first request that no tool on offer fits, in the user's words; empty if each fits one. */
  readonly unmatched: string;
  /** The word that turns or limits the request, if there is one: then nothing is planned. */
  readonly negation?: string;
}

interface Draft extends ToolMatch {
  readonly fields: string[];
  /** Whether a phrase of the tool gave it: then what follows has to be one, too. */
  readonly isPhrase: boolean;
}

/** The longest prompt that is analysed, in characters: requests are short, and longer text needs a model. */
const MAX_PROMPT_LENGTH = 2000;
const POLITE = /^(?:hi|hello|hey|ok|okay|please|thanks|thank you|many thanks)$/i;
const QUESTION = /^(?:what|whats|what's|what’s|which|when|how|where)$/i;

/** Plans the calls of a prompt, request by request. Deterministic: the same prompt and tools give the same plan. */
export function planCalls({ prompt, material }: Ask, matcher: Matcher): Plan {
  const nothing = { calls: [], unmatched: prompt };
  if (prompt.length > MAX_PROMPT_LENGTH || material === 'other') return nothing;
  const phrase = matcher.matchPhrase(prompt, material?.text);
  if (phrase !== undefined) return { calls: [{ ...phrase, fields: [] }], unmatched: '' };
  if (material !== undefined) return nothing;
  const negation = findNegation(prompt);
  if (negation !== undefined) return { ...nothing, negation };
  const drafts: Draft[] = [];
  const idle: string[] = [];
  const requests = splitRequests(prompt).filter((text) => {
    const isIdle = !isRequest(text, matcher);
    if (isIdle && !POLITE.test(text)) idle.push(text);
    return !isIdle;
  });
  let unmatched = requests.find((text) => !assignRequest(text, matcher, drafts)) ?? '';
  // `the first` in `the first and last line of notes.md` is a part of the request, though none of its words says of what.
  if (unmatched === '' && drafts.some(({ isPhrase }) => isPhrase)) unmatched = idle[0] ?? '';
  const whole = unmatched === '' ? undefined : matcher.match(prompt);
  return whole === undefined
    ? { calls: distinct(drafts), unmatched }
    : { calls: [{ ...whole, fields: [] }], unmatched: '' };
}

function isRequest(text: string, matcher: Matcher): boolean {
  const hasContent = tokenize(text).some(({ role }) => role === 'content');
  return hasContent || matcher.matchPhrase(text) !== undefined || matcher.match(text) !== undefined;
}

/** Adds the call of a request, or a field to the call before it. Returns whether there is one. */
function assignRequest(text: string, matcher: Matcher, drafts: Draft[]): boolean {
  const last = drafts.at(-1);
  const request = last === undefined || last.isPhrase ? text : resolveIts(text, last.input);
  const previous = request === text ? last : undefined;
  const phrase = matcher.matchPhrase(request);
  if (phrase !== undefined) {
    if (previous !== undefined && !isOwnRequest(text, previous, phrase.tool)) return false;
    drafts.push({ ...phrase, fields: [], isPhrase: true });
    return true;
  }
  if (previous?.isPhrase === true) return false;
  const mayAsk = previous !== undefined || request.toLowerCase().endsWith('.json');
  const { field, file } = (mayAsk ? readField(request) : undefined) ?? {};
  const isField = previous !== undefined && field !== undefined && file === undefined;
  if (previous !== undefined && /\b(?:its|their)\b/i.test(text)) return isField && previous.fields.push(field) > 0;
  const found = matcher.match(file === undefined ? request : `show me the contents of ${file}`);
  const isAlone = found !== undefined && standsAlone(text, found, previous);
  const match = isAlone ? found : previous && matcher.matchTool(previous.tool, text);
  if (match === undefined) return isField && previous.fields.push(field) > 0;
  drafts.push({ ...match, fields: isAlone && file !== undefined ? [field ?? ''] : [], isPhrase: false });
  return true;
}

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

/** Reads `its package.json` after a call for a folder as the file in that folder. */
function resolveIts(text: string, input: JsonObject): string {
  const folder = Object.values(input).find(
    (value) => typeof value === 'string' && /^[\w./@-]+$/.test(value) && !/\.[a-z]\w*$/i.test(value),
  );
  return typeof folder === 'string' ? text.replace(/\bits (?=\S+\.[a-z])/i, `${folder.replace(/\/$/, '')}/`) : text;
}

/** Drops equal calls, and a call without arguments that the same tool's next call repeats with some: `the date and time in UTC`. */
function distinct(drafts: readonly Draft[]): readonly Draft[] {
  const calls = new Map<string, Draft>();
  for (const [index, draft] of drafts.entries()) {
    const { tool, input, fields } = draft;
    if (Object.keys(input).length === 0 && drafts[index + 1]?.tool === tool) continue;
    const key = `${tool.name} ${JSON.stringify(input)}`;
    calls.set(key, { ...draft, fields: [...(calls.get(key)?.fields ?? []), ...fields] });
  }
  return [...calls.values()];
}
