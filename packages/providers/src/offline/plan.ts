import type { JsonObject, Tool } from '@kernel/protocol';
import type { Match, Matcher } from './match.ts';
import { fieldAsked, fieldOfFile, isAboutPrevious, splitRequests } from './requests.ts';
import { tokenize } from './tokens.ts';

/** One call that a prompt asks for, and the fields that it asks to see of the result. */
interface PlannedCall {
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly fields: readonly string[];
}

/** What a prompt comes to with the tools on offer. */
export interface Plan {
  readonly calls: readonly PlannedCall[];
  /** Requests that no tool on offer fits, in the user's words. */
  readonly leftOut: readonly string[];
}

interface Draft extends Match {
  readonly text: string;
  readonly fields: string[];
}

/** Requests are short; a longer text is for a model, and is not taken apart. */
const MAX_PROMPT = 2000;

/** Plans the calls of a prompt, request by request. Deterministic: the same prompt and tools give the same plan. */
export function planCalls(prompt: string, matcher: Matcher): Plan {
  if (prompt.length > MAX_PROMPT) return { calls: [], leftOut: [prompt] };
  const drafts: Draft[] = [];
  const leftOut: string[] = [];
  let isAfterLeftOut: boolean = false;
  for (const text of splitRequests(prompt)) {
    if (!tokenize(text).some(({ role }) => role === 'content') && matcher.match(text) === undefined) continue;
    const previous: Draft | undefined = isAfterLeftOut ? undefined : drafts.at(-1);
    if (isAfterLeftOut && /^(?:the|a|an|of|in|about|on|with|my|your) /i.test(text)) {
      leftOut.push(`${leftOut.pop() ?? ''} and ${text}`);
      continue;
    }
    isAfterLeftOut = !place(text, matcher, drafts, previous);
    if (isAfterLeftOut) leftOut.push(text);
  }
  const whole = leftOut.length > 0 ? matcher.match(prompt) : undefined;
  if (whole !== undefined) return { calls: [{ tool: whole.tool, input: whole.input, fields: [] }], leftOut: [] };
  return { calls: distinct(drafts), leftOut };
}

function place(text: string, matcher: Matcher, drafts: Draft[], previous: Draft | undefined): boolean {
  const inFile = fieldOfFile(text);
  const own = previous === undefined ? text : resolveIts(text, previous.input);
  if (own !== text) return place(own, matcher, drafts, undefined);
  if (previous !== undefined && isAboutPrevious(text) && askField(text, previous)) return true;
  const found = inFile === undefined ? matcher.match(text) : matcher.match(inFile.request);
  if (found !== undefined) {
    drafts.push({ ...found, text, fields: inFile === undefined ? [] : [inFile.field] });
    return true;
  }
  if (previous === undefined) return false;
  const same = matcher.again(previous.tool, text);
  if (same !== undefined) {
    drafts.push({ ...same, text, fields: [] });
    return true;
  }
  return askField(text, previous);
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

/** Drops equal calls, and one without arguments where the same tool is asked again with some: `the date and time in UTC`. */
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
