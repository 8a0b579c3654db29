import type { Tool } from '@kernel/protocol';
import { fillArguments, type FilledArguments } from '../arguments/fill-arguments.ts';
import { ACTION_STEMS, conceptOf, PART_STEMS, WEAK_STEMS, WORK_STEMS } from '../language/lexicon.ts';
import { type Token, tokenize } from '../language/tokenize.ts';
import { matchPhrase, type ToolMatch } from '../phrases/match-phrase.ts';
import type { ToolPhrase } from '../phrases/tool-phrase.ts';
import { profileOf, templateOf, type ToolProfile } from './tool-profile.ts';

export interface Matcher {
  /** The call that a whole request asks for by a phrase of a tool. `material` is the text that came with the prompt. */
  matchPhrase(text: string, material?: string): ToolMatch | undefined;
  /** The best match for a request, or `undefined` if none is good enough. Ties go to the tool that was offered first. */
  match(text: string): ToolMatch | undefined;
  /** Fills the arguments of a known tool, as in `the time in Tokyo and in Berlin`. Every word must belong to an argument or to the tool. */
  matchTool(tool: Tool, text: string): ToolMatch | undefined;
}

/** The least evidence of a match. A tool's own verb with one argument passes; a word that many tools share does not. */
const EVIDENCE_FLOOR = 0.75;

const COUNT = conceptOf('count');

export function createMatcher(
  tools: readonly Tool[],
  phrasesOf: (tool: Tool) => readonly ToolPhrase[],
  now: () => number,
): Matcher {
  const all = new Map(tools.map((tool) => [tool, profileOf(tool, phrasesOf(tool))]));
  // The words of a tool with phrases and no examples say too little of what it may be called for.
  const profiles = [...all.values()].filter(
    ({ tool, templates }) => phrasesOf(tool).length === 0 || templates.size > 0,
  );
  const rarity = rarityOf(profiles);
  const fill = createFill(now);
  return {
    matchPhrase: (text, material) => matchPhrase(tools, phrasesOf, text, material),
    match(text) {
      let best: ToolMatch | undefined;
      let highest = 0;
      for (const profile of profiles) {
        const filled = fill(profile, text);
        const score = filled === undefined ? 0 : scoreOf(profile, filled, rarity);
        if (filled === undefined || score <= highest) continue;
        best = { tool: profile.tool, input: filled.input };
        highest = score;
      }
      return best;
    },
    matchTool(tool, text) {
      const profile = all.get(tool);
      const filled = profile === undefined ? undefined : fill(profile, text);
      if (profile === undefined || filled === undefined || Object.keys(filled.input).length === 0) return undefined;
      const { tokens, used } = filled.filling;
      const isAccounted = tokens.every(
        ({ role, concept }, index) => role !== 'content' || used.get(index) === 'exact' || profile.terms.has(concept),
      );
      return isAccounted ? { tool, input: filled.input } : undefined;
    },
  };
}

/** Tokenizes a request once with arithmetic as one token and once without: every tool asks for the same one. */
function createFill(now: () => number): (profile: ToolProfile, text: string) => FilledArguments | undefined {
  let last: { readonly text: string; readonly whole: readonly Token[]; readonly plain: readonly Token[] } | undefined;
  return (profile, text) => {
    if (last?.text !== text) last = { text, whole: tokenize(text), plain: tokenize(text, []) };
    const isExpression = profile.slots.some(({ kind }) => kind === 'expression');
    return fillArguments(profile, text, isExpression ? last.whole : last.plain, now());
  };
}

function rarityOf(profiles: readonly ToolProfile[]): (concept: string) => number {
  const counts = new Map<string, number>();
  for (const { terms } of profiles)
    for (const concept of terms.keys()) counts.set(concept, (counts.get(concept) ?? 0) + 1);
  const most = Math.log(1 + profiles.length);
  return (concept) => Math.log(1 + profiles.length / (counts.get(concept) ?? 1)) / most;
}

/** The evidence for a tool; 0 if it is too little, or a word asks for something else. */
function scoreOf(
  { slots, templates, terms }: ToolProfile,
  { filling }: FilledArguments,
  rarity: (concept: string) => number,
): number {
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
      const gain = seen.has(concept) ? 0 : (role === 'neutral' ? 0.5 : 1) * weight * rarity(concept);
      isExplained = true;
      if (weight < 1 && WEAK_STEMS.has(concept)) weak += gain;
      else {
        evidence += gain;
        seen.add(concept);
      }
    } else if (role === 'content') return 0; // A word that no argument takes and the tool does not mention.
  }
  if (seen.size > 0) evidence += weak;
  const isExample = templates.has(templateOf(tokens, (_, index) => used.has(index)));
  if (isExample) evidence += 1;
  return evidence >= EVIDENCE_FLOOR && (isExplained || isExample) ? evidence : 0;
}
