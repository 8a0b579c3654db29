import { type Filled, fillArguments } from '../arguments/fill-arguments.ts';
import { ACTION_STEMS, conceptOf, PART_STEMS, WEAK_STEMS, WORK_STEMS } from '../language/lexicon.ts';
import { type Token, tokenize } from '../language/tokenize.ts';
import type { ToolMatch } from '../phrases/match-phrase.ts';
import type { Candidate } from './candidate.ts';

/** The least evidence of a match. A tool's own verb with one argument passes; a verb that many tools share does not. */
const EVIDENCE_FLOOR = 0.75;
/** Verbs that say enough where a path follows: `show me src`. */
const SHOW = /^(?:show|print|display|view)$/;
const COUNT = conceptOf('count');

/** The best match by a tool's own words and the shapes of its arguments. Ties go to the tool that was offered first. */
export function matchWords(candidates: readonly Candidate[], text: string, now: number): ToolMatch | undefined {
  let best: ToolMatch | undefined;
  let highest = 0;
  for (const candidate of candidates) {
    const filled = candidate.isDescribed ? fillArguments(candidate, tokensFor(candidate, text), now) : undefined;
    const score = filled === undefined ? 0 : scoreOf(candidate, filled);
    if (filled === undefined || score <= highest) continue;
    best = { tool: candidate.tool, input: filled.input };
    highest = score;
  }
  return best;
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
      // An action at the head, or a work to create, that the tool does not mention.
      if (kind === 'word' && ((index === head && ACTION_STEMS.has(concept)) || WORK_STEMS.has(concept))) return 0;
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
