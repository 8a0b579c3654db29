import type { Tool } from '@kernel/protocol';
import { fillArguments, type FilledArguments } from '../arguments/fill-arguments.ts';
import { ACTION_STEMS, conceptOf, PART_STEMS, WEAK_STEMS, WORK_STEMS } from '../language/lexicon.ts';
import { tokenize } from '../language/tokenize.ts';
import { memoize } from '../memoize.ts';
import type { ToolPhrase } from '../phrases/compile-phrase.ts';
import { matchPhrase, type ToolMatch } from '../phrases/match-phrase.ts';
import { searchPhrasesFor } from '../phrases/search-phrases.ts';
import { profileOf, type ToolProfile } from './tool-profile.ts';

export interface Matcher {
  /** The call that a whole request asks for by a phrase of a tool. `material` is the text that came with the prompt. */
  matchPhrase(text: string, material?: string): ToolMatch | undefined;
  /** The best match for a request, or `undefined` if none is good enough. Ties go to the tool that was offered first. */
  match(text: string): ToolMatch | undefined;
  /** Fills the arguments of a known tool, as in `the time in Tokyo and in Berlin`. Every word must belong to an argument or to the tool. */
  matchTool(tool: Tool, text: string): ToolMatch | undefined;
}

/** The least evidence of a match. A tool's own verb with one argument passes; a verb that many tools share does not. */
const EVIDENCE_FLOOR = 0.75;

/** Verbs that say enough where a path follows: `show me src`. */
const SHOW = /^(?:show|print|display|view)$/;
const COUNT = conceptOf('count');
const searchPhrases = memoize(searchPhrasesFor);

export function createMatcher(
  tools: readonly Tool[],
  phrasesOf: (tool: Tool) => readonly ToolPhrase[],
  now: () => number,
): Matcher {
  const profiles = new Map(tools.map((tool) => [tool, profileOf(tool, phrasesOf(tool))]));
  // The words of a tool with phrases and no examples say too little of what it may be called for.
  const described = tools.filter((tool) => phrasesOf(tool).length === 0 || (tool.metadata?.examples ?? []).length > 0);
  const fill = (tool: Tool, text: string, isAccounted: (profile: ToolProfile, filled: FilledArguments) => number) => {
    const profile = profiles.get(tool);
    if (profile === undefined) return undefined;
    const isExpression = profile.slots.some(({ kind }) => kind === 'expression');
    const filled = fillArguments(profile, tokenize(text, isExpression ? undefined : []), now());
    return filled && { tool, input: filled.input, score: isAccounted(profile, filled) };
  };
  return {
    matchPhrase: (text, material) => matchPhrase(tools, phrasesOf, text, material),
    match(text) {
      const search = matchPhrase(described, searchPhrases, text);
      if (search !== undefined) return search;
      const matches = described.map((tool) => fill(tool, text, scoreOf)).filter((match) => match !== undefined);
      const highest = Math.max(...matches.map(({ score }) => score));
      return highest > 0 ? matches.find(({ score }) => score === highest) : undefined;
    },
    matchTool(tool, text) {
      const match = fill(tool, text, ({ terms }, { filling: { tokens, used } }) =>
        tokens.every(
          ({ role, concept }, index) => role !== 'content' || used.get(index) === 'exact' || terms.has(concept),
        )
          ? 1
          : 0,
      );
      return match !== undefined && match.score > 0 && Object.keys(match.input).length > 0 ? match : undefined;
    },
  };
}

/** The evidence for a tool; 0 if it is too little, or a word asks for something else. */
function scoreOf({ slots, terms }: ToolProfile, { filling, input }: FilledArguments): number {
  const { tokens, used } = filling;
  const takesNumber = slots.some(({ kind }) => kind === 'expression' || kind === 'number');
  const head = tokens.findIndex(({ role, kind }) => role === 'content' && kind === 'word');
  const seen = new Set<string>();
  let evidence = filling.evidence;
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
      const isForeign = (index === head && ACTION_STEMS.has(concept)) || WORK_STEMS.has(concept);
      if (kind === 'word' && isForeign) return 0;
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
  const isShown =
    slots.some(({ kind, name }) => kind === 'path' && name in input) && tokens.some(({ lower }) => SHOW.test(lower));
  if (seen.size > 0 || isShown) evidence += weak;
  return evidence >= EVIDENCE_FLOOR && isExplained ? evidence : 0;
}
