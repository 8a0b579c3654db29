import { isObject } from '@kernel/internal';
import type { Tool } from '@kernel/protocol';
import { type Slot, slotsOf } from '../arguments/argument-slots.ts';
import { type Filled, fillArguments } from '../arguments/fill-arguments.ts';
import { ACTION_STEMS, conceptOf, PART_STEMS, STOP_WORDS, WEAK_STEMS, wordsOf } from '../language/lexicon.ts';
import { type Token, tokenize } from '../language/tokenize.ts';
import type { ToolMatch, ToolPhrase } from '../phrases/match-phrase.ts';
import { searchPhrases } from '../phrases/search-phrases.ts';

/** A tool on offer that only reads, in a form that a prompt can be compared with. */
export interface Candidate {
  readonly tool: Tool;
  readonly phrases: readonly ToolPhrase[];
  readonly searches: readonly ToolPhrase[];
  /** The weight of each concept: 1 if it is in the tool's name, less in its description, hints and arguments. */
  readonly terms: ReadonlyMap<string, number>;
  /** In the order of the schema, without those that only phrases fill: these are too easily meant otherwise. */
  readonly slots: readonly Slot[];
  /** The words of a tool with phrases and no examples say too little of what it may be called for. */
  readonly isDescribed: boolean;
}

export function candidateOf(tool: Tool, byName: Readonly<Record<string, readonly ToolPhrase[]>>): Candidate {
  const { examples = [], tags = [], usageHint = '' } = tool.metadata ?? {};
  const phrases = phrasesFor(tool, byName);
  const [phrased, shown] = [phrases, examples].map((all) => new Set(all.flatMap(({ input }) => Object.keys(input))));
  const all = slotsOf(tool);
  const slots = all.filter(({ name }) => phrased?.has(name) !== true || shown?.has(name) === true);
  const terms = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) {
      const concept = conceptOf(word);
      if (!STOP_WORDS.has(word)) terms.set(concept, Math.max(weight, terms.get(concept) ?? 0));
    }
  };
  const about = `${tool.name} ${tool.title ?? ''}`;
  add(about, 1);
  add(usageHint, 0.9);
  add(`${tool.description} ${tags.join(' ')}`, 0.7);
  for (const slot of slots) add(slot.name, 0.4);
  for (const { description, input } of examples) {
    const values = JSON.stringify(Object.values(input)).toLowerCase();
    for (const { kind, lower } of tokenize(description))
      if (kind === 'word' && !values.includes(lower)) add(lower, 0.9);
  }
  const isDescribed = phrases.length === 0 || examples.length > 0;
  const isSearch = isDescribed && (terms.get(conceptOf('find')) ?? 0) >= 0.7;
  const searches = isSearch ? searchPhrases(all, wordsOf(`${about} ${tool.description}`)) : [];
  return { tool, phrases, searches, terms, slots, isDescribed };
}

/** The phrases under a tool's name that give every argument that it requires and none that it does not know: another tool may have the same name. */
function phrasesFor(
  { name, parameters }: Tool,
  byName: Readonly<Record<string, readonly ToolPhrase[]>>,
): readonly ToolPhrase[] {
  const properties = isObject(parameters['properties']) ? parameters['properties'] : {};
  const required = Array.isArray(parameters['required']) ? parameters['required'] : [];
  return (Object.hasOwn(byName, name) ? (byName[name] ?? []) : []).filter(
    ({ input }) =>
      Object.keys(input).every((key) => Object.hasOwn(properties, key)) &&
      required.every((key) => typeof key === 'string' && Object.hasOwn(input, key)),
  );
}

/** The least evidence of a match. A tool's own verb with one argument passes; a verb that many tools share does not. */
const EVIDENCE_FLOOR = 0.75;
/** Verbs that say enough where a path follows: `show me src`. */
const SHOW = /^(?:show|print|display|view)$/;
const COUNT = conceptOf('count');

/** The best match by a tool's own words and the shapes of its arguments. Ties go to the tool that was offered first. */
export function matchWords(candidates: readonly Candidate[], text: string, now: number): ToolMatch | undefined {
  const matches = candidates.flatMap((candidate) => {
    const filled = candidate.isDescribed ? fillArguments(candidate, tokensFor(candidate, text), now) : undefined;
    const score = filled === undefined ? 0 : scoreOf(candidate, filled);
    return filled === undefined || score === 0 ? [] : [{ tool: candidate.tool, input: filled.input, score }];
  });
  return matches.toSorted((a, b) => b.score - a.score)[0];
}

/** Fills the arguments of a known tool, as in `the time in Tokyo and in Berlin`. Every word must belong to an argument or to the tool. */
export function matchMore(candidate: Candidate, text: string, now: number): ToolMatch | undefined {
  const { tokens, used, input } = fillArguments(candidate, tokensFor(candidate, text), now) ?? {};
  const isAccounted = tokens?.every(
    ({ role, concept }, at) => role !== 'content' || used?.get(at) === 'exact' || candidate.terms.has(concept),
  );
  if (isAccounted !== true || input === undefined || Object.keys(input).length === 0) return undefined;
  return { tool: candidate.tool, input };
}

function tokensFor({ slots }: Candidate, text: string): readonly Token[] {
  return tokenize(text, slots.some(({ kind }) => kind === 'expression') ? undefined : []);
}

/** The evidence for a tool; 0 if it is too little, or a word asks for something else. */
function scoreOf({ slots, terms }: Candidate, { input, tokens, used, ...filled }: Filled): number {
  const takesNumber = slots.some(({ kind }) => kind === 'expression' || kind === 'number');
  const takesPath = slots.some(({ kind, name }) => kind === 'path' && name in input);
  const head = tokens.findIndex(({ role, kind }) => role === 'content' && kind === 'word');
  const seen = new Set<string>();
  let { evidence } = filled;
  let weak = 0;
  let isExplained = [...used.values()].includes('exact');
  for (const [index, { concept, kind, lower, role }] of tokens.entries()) {
    const how = used.get(index);
    const weight = terms.get(concept) ?? 0;
    // A count, a size or a part of something, which the tool does not mention.
    if (lower === 'many' && tokens[index - 1]?.lower === 'how' && !takesNumber && !terms.has(COUNT)) return 0;
    if (how === 'exact') continue;
    if (weight === 0 && PART_STEMS.has(concept)) return 0;
    if (how === 'free') {
      // An action at the head that the tool does not mention.
      if (kind === 'word' && index === head && ACTION_STEMS.has(concept)) return 0;
    } else if (role !== 'stop' && kind === 'word' && weight > 0) {
      const gain = seen.has(concept) ? 0 : (role === 'neutral' ? 0.5 : 1) * weight;
      isExplained = true;
      if (weight < 1 && WEAK_STEMS.has(concept)) weak += gain;
      else {
        evidence += gain;
        seen.add(concept);
      }
    } else if (role === 'content') return 0; // A word that no argument takes and the tool does not mention.
  }
  if (seen.size > 0 || (takesPath && tokens.some(({ lower }) => SHOW.test(lower)))) evidence += weak;
  return evidence >= EVIDENCE_FLOOR && isExplained ? evidence : 0;
}
