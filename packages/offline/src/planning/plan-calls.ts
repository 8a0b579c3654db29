import type { JsonObject, Tool } from '@kernel/protocol';
import type { Match, Matcher } from '../matching/matcher.ts';
import { fieldAsked, fieldOfFile, isAboutPrevious, splitRequests } from './split-requests.ts';
import { findNegation } from '../language/negation.ts';
import { tokenize } from '../language/tokenize.ts';

/** One call that a prompt asks for, and the fields of the result that it asks to see. */
interface PlannedCall {
  readonly tool: Tool;
  readonly input: JsonObject;
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

interface Draft extends Match {
  readonly text: string;
  readonly fields: string[];
}

/** The longest prompt that is analysed, in characters: requests are short, and longer text needs a model. */
const MAX_PROMPT_LENGTH = 2000;

/** Plans the calls of a prompt, request by request. Deterministic: the same prompt and tools give the same plan. */
export function planCalls(prompt: string, matcher: Matcher): Plan {
  if (prompt.length > MAX_PROMPT_LENGTH) return { calls: [], unmatched: [prompt] };
  const negation = findNegation(prompt);
  if (negation !== undefined) return { calls: [], unmatched: [prompt], negation };
  const drafts: Draft[] = [];
  const unmatched: string[] = [];
  let previousUnmatched: boolean = false;
  for (const text of splitRequests(prompt)) {
    if (!tokenize(text).some(({ role }) => role === 'content') && matcher.match(text) === undefined) continue;
    const previous: Draft | undefined = previousUnmatched ? undefined : drafts.at(-1);
    if (previousUnmatched && /^(?:the|a|an|of|in|about|on|with|my|your) /i.test(text)) {
      unmatched.push(`${unmatched.pop() ?? ''} and ${text}`);
      continue;
    }
    previousUnmatched = !assignRequest(text, matcher, drafts, previous);
    if (previousUnmatched) unmatched.push(text);
  }
  const whole = unmatched.length > 0 ? matcher.match(prompt) : undefined;
  if (whole !== undefined) return { calls: [{ tool: whole.tool, input: whole.input, fields: [] }], unmatched: [] };
  return { calls: distinct(drafts), unmatched };
}

function assignRequest(text: string, matcher: Matcher, drafts: Draft[], previous: Draft | undefined): boolean {
  const inFile = fieldOfFile(text);
  const own = previous === undefined ? text : resolveIts(text, previous.input);
  if (own !== text) return assignRequest(own, matcher, drafts, undefined);
  if (previous !== undefined && isAboutPrevious(text) && askField(text, previous)) return true;
  const found = inFile === undefined ? matcher.match(text) : matcher.match(inFile.request);
  if (found !== undefined && standsAlone(text, found, previous)) {
    drafts.push({ ...found, text, fields: inFile === undefined ? [] : [inFile.field] });
    return true;
  }
  if (previous === undefined) return false;
  const same = matcher.matchTool(previous.tool, text);
  if (same !== undefined) {
    drafts.push({ ...same, text, fields: [] });
    return true;
  }
  return askField(text, previous);
}

/**
 * Whether a request means the same without the one before. It has to say what to do, which the file in `search for a in x.md and y.md` does not, and
 * to what, which neither `count` does in `search for a and count` nor `what day` in `what time is it in Tokyo and what day`.
 */
function standsAlone(text: string, { tool, input }: Match, previous: Draft | undefined): boolean {
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
