import type { Tool } from '@kernel/protocol';
import { fillArguments, type FilledArguments } from '../arguments/fill-arguments.ts';
import { ACTION_STEMS, conceptOf, PART_STEMS, WEAK_STEMS, WORK_STEMS } from '../language/lexicon.ts';
import { matchPhrase, type ToolMatch } from '../phrases/match-phrase.ts';
import type { ToolPhrase } from '../phrases/tool-phrase.ts';
import { profileOf, templateOf, type ToolProfile } from './tool-profile.ts';
import { type Token, tokenize } from '../language/tokenize.ts';

/** Compares requests with the tools on offer. */
export interface Matcher {
  /** The call that a whole request asks for by a phrase of a tool. `material` is the text that came with the prompt. */
  matchPhrase(text: string, material: string | undefined): ToolMatch | undefined;
  /** The best match for a request, or `undefined` if none is good enough. Ties go to the tool that was offered first. */
  match(text: string): ToolMatch | undefined;
  /** Fills the arguments of a known tool, as in `the time in Tokyo and in Berlin`. Every word must belong to an argument or to the tool. */
  matchTool(tool: Tool, text: string): ToolMatch | undefined;
}

/** The least evidence of a match. A tool's own verb with one argument passes; a word that many tools share does not. */
const EVIDENCE_FLOOR = 0.75;

const COUNT = conceptOf('count');

/** Creates a matcher for the tools on offer. Terms that few of them share weigh more (inverse document frequency). */
export function createMatcher(
  tools: readonly Tool[],
  phrasesOf: (tool: Tool) => readonly ToolPhrase[],
  now: () => number,
): Matcher {
  const all = new Map(tools.map((tool) => [tool, profileOf(tool, phrasesOf(tool))]));
  // The words of a tool with phrases and no examples say too little of what it may be called for.
  const isByWords = (tool: Tool) => phrasesOf(tool).length === 0 || (tool.metadata?.examples?.length ?? 0) > 0;
  const profiles = [...all.values()].filter(({ tool }) => isByWords(tool));
  const rarity = rarityOf(profiles);
  const read = createReader();
  return {
    matchPhrase: (text, material) => matchPhrase(tools, phrasesOf, text, material),
    match(text) {
      let best: ToolMatch | undefined;
      let highest = 0;
      for (const profile of profiles) {
        const candidate = fillArguments(profile, text, read(text, profile), now());
        if (candidate === undefined) continue;
        const score = scoreOf(profile, candidate, rarity);
        if (score === undefined || score <= highest) continue;
        best = { tool: profile.tool, input: candidate.input };
        highest = score;
      }
      return best;
    },
    matchTool(tool, text) {
      const profile = all.get(tool);
      if (profile === undefined) return undefined;
      const filled = fillArguments(profile, text, read(text, profile), now());
      if (filled === undefined || Object.keys(filled.input).length === 0) return undefined;
      const { tokens, used } = filled.filling;
      const isAccounted = tokens.every(
        ({ role, concept }, index) => role !== 'content' || used.get(index) === 'exact' || profile.terms.has(concept),
      );
      return isAccounted ? { tool, input: filled.input } : undefined;
    },
  };
}

/** Tokenizes a request once with arithmetic as one token and once without, and caches the last request: every tool asks for the same one. */
function createReader(): (text: string, profile: ToolProfile) => readonly Token[] {
  let last: { readonly text: string; readonly whole: readonly Token[]; readonly plain: readonly Token[] } | undefined;
  return (text, { slots }) => {
    if (last?.text !== text) last = { text, whole: tokenize(text), plain: tokenize(text, []) };
    return slots.some(({ kind }) => kind === 'expression') ? last.whole : last.plain;
  };
}

function rarityOf(profiles: readonly ToolProfile[]): (concept: string) => number {
  const counts = new Map<string, number>();
  for (const { terms } of profiles)
    for (const concept of terms.keys()) counts.set(concept, (counts.get(concept) ?? 0) + 1);
  const most = Math.log(1 + profiles.length);
  return (concept) => Math.log(1 + profiles.length / (counts.get(concept) ?? 1)) / most;
}

function scoreOf(
  profile: ToolProfile,
  { filling }: FilledArguments,
  rarity: (concept: string) => number,
): number | undefined {
  const { tokens, used } = filling;
  if (asksForPart(tokens, profile, used)) return undefined;
  const head = tokens.findIndex(({ role, kind }) => role === 'content' && kind === 'word');
  const seen = new Set<string>();
  let evidence = filling.evidence;
  let weak = 0;
  let isExplained = false;
  for (const [index, token] of tokens.entries()) {
    const how = used.get(index);
    const weight = profile.terms.get(token.concept) ?? 0;
    if (how === 'exact') isExplained = true;
    else if (how === 'free' && isForeign(token, index === head)) return undefined;
    else if (how === 'free' || token.role === 'stop') continue;
    else if (token.kind === 'word' && weight > 0) {
      const share = token.role === 'neutral' ? 0.5 : 1;
      const gain = seen.has(token.concept) ? 0 : share * weight * rarity(token.concept);
      if (weight < 1 && WEAK_STEMS.has(token.concept)) weak += gain;
      else {
        evidence += gain;
        seen.add(token.concept);
      }
      isExplained = true;
    }
    // A word that no argument takes and the tool does not mention asks for something else.
    else if (token.role === 'content') return undefined;
  }
  if (seen.size > 0) evidence += weak;
  if (profile.exampleTemplates.has(templateOf(tokens, used))) {
    evidence += 1;
    isExplained = true;
  }
  return evidence < EVIDENCE_FLOOR || !isExplained ? undefined : evidence;
}

/** Whether the word is an action at the head of a request, or a work to create, that the tool does not mention. */
function isForeign(token: Token, isHead: boolean): boolean {
  if (token.kind !== 'word') return false;
  return (isHead && ACTION_STEMS.has(token.concept)) || WORK_STEMS.has(token.concept);
}

/** Whether the request asks for a count, a size or a part of something that the tool does not mention and so cannot answer. */
function asksForPart(
  tokens: readonly Token[],
  { terms, slots }: ToolProfile,
  used: FilledArguments['filling']['used'],
): boolean {
  const isNumber = slots.some(({ kind }) => kind === 'expression' || kind === 'number');
  return tokens.some(
    ({ lower, concept }, index) =>
      (lower === 'many' && tokens[index - 1]?.lower === 'how' && !isNumber && !terms.has(COUNT)) ||
      (PART_STEMS.has(concept) && used.get(index) !== 'exact' && !terms.has(concept)),
  );
}
