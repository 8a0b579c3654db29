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
  /** Whether a phrase of the tool gave it: then what follows has to be a request of its own. */
  readonly isPhrase: boolean;
}

/** The longest prompt that is analysed, in characters: requests are short, and longer text needs a model. */
const MAX_PROMPT_LENGTH = 2000;
const POLITE = /^(?:hi|hello|hey|ok|okay|please|thanks|thank you|many thanks)$/i;
/** What is about the result before: only a field of it can be asked for. */
const ABOUT = /\b(?:its|their)\b/i;
const QUESTION = /^(?:what|whats|what's|what’s|which|when|how|where)$/i;

/** Files that prose has a word for: `read the license`. */
const FILES = new Map([
  ['license', 'LICENSE'],
  ['readme', 'README.md'],
  ['changelog', 'CHANGELOG.md'],
]);
const NAMED_FILE =
  /\b((?:read|show|show me|open|cat|print|display|view|in|of|does) )the (license|readme|changelog)(?: file)?(?=$|[\s,.?!;])/gi;

/** Plans the calls of a prompt, request by request. Deterministic: the same prompt and tools give the same plan. */
export function planCalls({ prompt: asked, material }: Ask, matcher: Matcher): Plan {
  const prompt = asked.replaceAll(
    NAMED_FILE,
    (_, before: string, name: string) => before + (FILES.get(name.toLowerCase()) ?? name),
  );
  const nothing = { calls: [], unmatched: prompt };
  if (prompt.length > MAX_PROMPT_LENGTH || material === 'other') return nothing;
  const phrase = matcher.matchPhrase(prompt, material?.text);
  if (phrase !== undefined) return { calls: [{ ...phrase, fields: [] }], unmatched: '' };
  if (material !== undefined) return nothing;
  const negation = findNegation(prompt);
  if (negation !== undefined) return { ...nothing, negation };
  const drafts: Draft[] = [];
  const requests = splitRequests(prompt).filter((text) => !POLITE.test(text));
  const unmatched = requests.find((text) => !assignRequest(text, matcher, drafts)) ?? '';
  // `sum` and `average` in `the sum and average of 1 and 2` are no requests of their own.
  const whole = unmatched === '' || ABOUT.test(prompt) ? undefined : matcher.match(prompt);
  if (whole !== undefined) return { calls: [{ ...whole, fields: [] }], unmatched: '' };
  // A call without arguments that the same tool's next call repeats with some: `the date and time in UTC`.
  const isCall = ({ tool, input }: Draft, at: number) => Object.keys(input).length > 0 || drafts[at + 1]?.tool !== tool;
  return { calls: drafts.filter(isCall), unmatched };
}

/** Adds the call of a request, or a field to the call before it. Returns whether there is one. */
function assignRequest(text: string, matcher: Matcher, drafts: Draft[]): boolean {
  const previous = drafts.at(-1);
  const add = (match: ToolMatch | undefined, isPhrase: boolean, ...fields: readonly string[]): boolean => {
    const same = drafts.find(({ tool, input }) => tool === match?.tool && isEqual(input, match.input));
    if (match !== undefined && same === undefined) drafts.push({ ...match, fields: [...fields], isPhrase });
    same?.fields.push(...fields);
    return match !== undefined;
  };
  const phrase = matcher.matchPhrase(text);
  if (phrase !== undefined) return isOwnRequest(text, previous, phrase.tool) && add(phrase, true);
  const { field, file } = readField(text) ?? {};
  const isAbout = ABOUT.test(text);
  const found = isAbout ? undefined : matcher.match(file === undefined ? text : `show me the contents of ${file}`);
  if (previous?.isPhrase === true && !isOwnRequest(text, previous, found?.tool)) return false;
  if (found !== undefined && standsAlone(text, found, previous))
    return add(found, false, ...(file === undefined ? [] : [field ?? '']));
  if (previous === undefined || previous.isPhrase) return false;
  const more = isAbout ? undefined : matcher.matchTool(previous.tool, text);
  if (more !== undefined) return add(more, false);
  return field !== undefined && file === undefined && previous.fields.push(field) > 0;
}

function isEqual(a: JsonObject, b: JsonObject): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Whether a request before or after a phrase is one of its own: `in 3 hours` and `yesterday` go on with the request before, and so may any question to the tool
 * that was asked before in other words.
 */
function isOwnRequest(text: string, previous: Draft | undefined, tool: Tool | undefined): boolean {
  const first = text.split(/\s+/)[0] ?? '';
  const isOther = previous === undefined || previous.isPhrase || previous.tool !== tool;
  return previous === undefined || (isOther && (QUESTION.test(first) || isAction(first)));
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
  return hasWord || tokens.some(({ kind, text: value }) => kind === 'expression' && /[^\d.,-]/.test(value));
}
