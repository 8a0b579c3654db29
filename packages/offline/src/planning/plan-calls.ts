import type { Message } from '@kernel/protocol';
import { isAction, PART_STEMS, stemOf, STOP_WORDS, wordsOf } from '../language/lexicon.ts';
import { findNegation } from '../language/negation.ts';
import { tokenize } from '../language/tokenize.ts';
import { type Candidate, matchMore, matchWords } from '../matching/match-words.ts';
import { matchPhrase, type ToolMatch } from '../phrases/match-phrase.ts';
import { plainRequest } from '../phrases/value-kinds.ts';

export interface Ask {
  /** The request: the last text of the message. */
  readonly prompt: string;
  /** The one text that came with it; `other` for several texts, a text that is too long, and media. */
  readonly material?: { readonly text: string } | 'other';
}

const MAX_MATERIAL_LENGTH = 1_000_000;

/**
 * Reads a user message: a text part is the request if it is the last one, and what came with it if others follow. A text within one element, such as
 * `<file name="a.md">`, is not a request, and its tags are not part of it.
 */
export function readAsk(message: Message | undefined): Ask {
  const content = message?.content ?? '';
  if (typeof content === 'string') return { prompt: content };
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const hasMedia = texts.length < content.length;
  const prompt = contentOf(texts.at(-1) ?? '') === undefined ? (texts.pop() ?? '') : '';
  const [first, ...more] = texts;
  if (first === undefined && !hasMedia) return { prompt };
  const text = contentOf(first ?? '') ?? first ?? '';
  const isOther = hasMedia || more.length > 0 || text.length > MAX_MATERIAL_LENGTH;
  return { prompt, material: isOther ? 'other' : { text } };
}

function contentOf(text: string): string | undefined {
  const opened = /^<([a-z]+(?:-\d+)?)(?: name="[^\n]*")?>\n/.exec(text);
  const closing = `</${opened?.[1] ?? ''}>`;
  return opened === null || !text.endsWith(`\n${closing}`) ? undefined : text.slice(opened[0].length, -closing.length);
}

// Each run of characters is read once, from its beginning.
const BREAK =
  /(?<![.?!;])[.?!;]+(?=\s|$)|\n\s*(?:(?:and then|and also|and|then|also|&)\s+)?|,?(?<!\s)\s+(?:and then|and also|and|then|also|&)\s+|,\s+(?:and\s+|then\s+)*/gi;

/** Splits a prompt into requests at sentence ends, commas and `and`, but not inside a quotation, a path, arithmetic or a list of numbers. */
function splitRequests(prompt: string): readonly string[] {
  const tokens = tokenize(prompt);
  const parts: string[] = [];
  let from = 0;
  // Both are in the order of the text: the tokens before `next` end where the break begins, at the latest.
  let next = 0;
  for (const { 0: written, index } of prompt.matchAll(BREAK)) {
    const to = index + written.length;
    while ((tokens[next]?.end ?? Infinity) <= index) next += 1;
    let after = next;
    let isGuarded = false;
    for (; (tokens[after]?.start ?? Infinity) < to; after += 1) isGuarded ||= tokens[after]?.kind !== 'word';
    const isInList = tokens[next - 1]?.kind === 'number' && tokens[after]?.kind === 'number';
    if (isGuarded || isInList) continue;
    parts.push(prompt.slice(from, index));
    from = to;
  }
  parts.push(prompt.slice(from));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

const FIELD =
  /^(?:read |get )?(?:its |their )?([^\d\W][\w -]{0,40}?)(?: (?:field|value))?(?: (?:in|of|from) (?:file )?(\S+\.json))?$/i;
const ASKED = /^(?:please |and |can you |could you )*(?:what|which|tell|show|give|print|read|get)\b/i;

/** Reads `tell me the name` as a question about a field of the result before, and `what is the version in package.json` as one about a field of that file. */
function readField(text: string): { readonly field: string; readonly file: string | undefined } | undefined {
  const [, field = '', file] = FIELD.exec(plainRequest(text) ?? '') ?? [];
  const words = wordsOf(field);
  const isOther = words.some((word) => STOP_WORDS.has(word) || PART_STEMS.has(stemOf(word)) || isAction(word));
  if (words.length === 0 || words.length > 3 || isOther) return undefined;
  if (file !== undefined)
    return ASKED.test(text) && !/^(?:contents?|text|file)$/i.test(field) ? { field, file } : undefined;
  return new RegExp(`\\b(?:the|its|their) ${field}`, 'i').test(text) ? { field, file } : undefined;
}

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
/** Asks for what an answer is anyway: the result of the request before it. */
const SHOWN =
  /^(?:please |can you |could you )*(?:show|give|tell|print|display|read)(?: me)? (?:it|(?:its|the) (?:contents?|text|output|result|results))(?: to me| for me| here)?(?: please)?$/i;
/** What is about the result before: only a field of it can be asked for. */
const ABOUT = /\b(?:its|their)\b/i;
const QUESTION = /^(?:what|whats|what's|what’s|which|when|how|where)$/i;

/** A file that prose has a word for: `read the license`. */
const NAMED_FILE =
  /(?<=\b(?:read|show|show me|open|cat|print|display|in|of) )the (license|readme)(?: file)?(?=$|[\s,.?!;])/gi;

/** Plans the calls of a prompt, request by request. Deterministic: the same prompt, tools and day give the same plan. */
export function planCalls({ prompt: asked, material }: Ask, candidates: readonly Candidate[], now: number): Plan {
  const prompt = asked.replaceAll(NAMED_FILE, (_, name: string) => (/^l/i.test(name) ? 'LICENSE' : 'README.md'));
  const nothing = { calls: [], unmatched: prompt };
  if (prompt.length > MAX_PROMPT_LENGTH || material === 'other') return nothing;
  const phrase = matchPhrase(candidates, prompt, material?.text);
  if (phrase !== undefined) return { calls: [{ ...phrase, fields: [] }], unmatched: '' };
  if (material !== undefined) return nothing;
  const negation = findNegation(prompt);
  if (negation !== undefined) return { ...nothing, negation };
  const drafts: Draft[] = [];
  const requests = splitRequests(prompt).filter((text, at) => !POLITE.test(text) && (at === 0 || !SHOWN.test(text)));
  const unmatched = requests.find((text) => !assignRequest(text, candidates, drafts, now)) ?? '';
  // `sum` and `average` in `the sum and average of 1 and 2` are no requests of their own.
  const isOne = !ABOUT.test(prompt) && !requests.slice(1).some((text) => isAction(text.split(/\s+/)[0] ?? ''));
  const whole = unmatched !== '' && isOne ? match(candidates, prompt, now) : undefined;
  if (whole !== undefined) return { calls: [{ ...whole, fields: [] }], unmatched: '' };
  // A call without arguments that the same tool's next call repeats with some: `the date and time in UTC`.
  const isCall = ({ tool, input }: Draft, at: number) => Object.keys(input).length > 0 || drafts[at + 1]?.tool !== tool;
  return { calls: drafts.filter(isCall), unmatched };
}

function match(candidates: readonly Candidate[], text: string, now: number): ToolMatch | undefined {
  const searches = candidates.map(({ tool, searches: phrases }) => ({ tool, phrases }));
  return matchPhrase(searches, text) ?? matchWords(candidates, text, now);
}

function assignRequest(text: string, candidates: readonly Candidate[], drafts: Draft[], now: number): boolean {
  const previous = drafts.at(-1);
  const { field = '', file } = readField(text) ?? {};
  const call = nextCall(text, file, candidates, previous, now);
  if (call === undefined)
    return previous?.isPhrase === false && field !== '' && file === undefined && previous.fields.push(field) > 0;
  const same = drafts.find(
    ({ tool, input }) => tool === call.tool && JSON.stringify(input) === JSON.stringify(call.input),
  );
  const draft = same ?? { ...call, fields: [] };
  if (file !== undefined && !call.isPhrase) draft.fields.push(field);
  return same !== undefined || drafts.push(draft) > 0;
}

/** The call of a request of its own, or of one that goes on with the one before, as `and in Berlin` does. */
function nextCall(
  text: string,
  file: string | undefined,
  candidates: readonly Candidate[],
  previous: Draft | undefined,
  now: number,
): Omit<Draft, 'fields'> | undefined {
  const first = text.split(/\s+/)[0] ?? '';
  const isAsked = previous === undefined || QUESTION.test(first) || isAction(first);
  const isAbout = ABOUT.test(text);
  const phrase = matchPhrase(candidates, text);
  // A question to the tool that was asked before in other words may go on with it: `in Tokyo, and in 3 hours`.
  const isSame = previous?.isPhrase === false && previous.tool === phrase?.tool;
  if (phrase !== undefined) return isAsked && !isSame ? { ...phrase, isPhrase: true } : undefined;
  if (isAbout || (!isAsked && previous?.isPhrase)) return undefined;
  const found = match(candidates, file === undefined ? text : `show me the contents of ${file}`, now);
  if (found !== undefined && standsAlone(text, found, previous)) return { ...found, isPhrase: false };
  const candidate = candidates.find(({ tool }) => tool === previous?.tool);
  const more = candidate && previous?.isPhrase === false ? matchMore(candidate, text, now) : undefined;
  return more && { ...more, isPhrase: false };
}

/**
 * Whether a request means the same without the one before. It has to say what to do, which the file in `search for a in x.md and y.md` does not, and
 * to what, which neither `count` does in `search for a and count` nor `what day` in `what time is it in Tokyo and what day`.
 */
function standsAlone(text: string, { tool, input }: ToolMatch, previous: Draft | undefined): boolean {
  if (previous === undefined) return true;
  if (tool === previous.tool) return Object.keys(input).length > 0 || Object.keys(previous.input).length === 0;
  const tokens = tokenize(text).filter(({ role }) => role !== 'stop');
  const isSaid = tokens.length > 1 && tokens.some(({ kind }) => kind === 'word');
  return isSaid || tokens.some(({ kind, text: value }) => kind === 'expression' && /[^\d.,-]/.test(value));
}
