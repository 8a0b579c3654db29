import type { JsonObject, Tool } from '@kernel/protocol';
import { fillArguments, type Filled } from './fill.ts';
import { ACTION_STEMS, conceptOf, PART_STEMS, WEAK_STEMS, WORK_STEMS } from './lexicon.ts';
import { profileOf, skeletonOf, type ToolProfile } from './profile.ts';
import { SEARCH_SIGNS, SEARCH_VERB, WISH_WORDS } from './search-words.ts';
import { stemOf } from './stem.ts';
import { type Token, tokenize } from './tokens.ts';

/** A tool that fits a request, with arguments for it. */
export interface Match {
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly score: number;
}

/** The tools on offer, ready to be compared with requests. */
export interface Matcher {
  /** The best match of a request, or nothing where none is good enough. Ties go to the tool that was registered first. */
  match(text: string): Match | undefined;
  /** Fills a tool that is already known to be meant, as in `the time in Tokyo and in Berlin`. Every word must be an argument. */
  again(tool: Tool, text: string): Match | undefined;
}

/** What the words and argument shapes must add up to. A tool's own verb with one argument passes; a shared word alone doesn't. */
const EVIDENCE_FLOOR = 0.75;
/** Which part of the content words must be accounted for. Below it, the request asks for more than the tool can do. */
const COVERAGE_FLOOR = 0.7;

const FILE_CONCEPTS = new Set(['file', 'folder'].map((word) => conceptOf(stemOf(word))));

const COUNT = conceptOf(stemOf('count'));

/** Prepares the tools on offer: terms that few of them share weigh more (inverse document frequency). */
export function createMatcher(tools: readonly Tool[], now: () => number): Matcher {
  const profiles = tools.map(profileOf);
  const rarity = rarityOf(profiles);
  const read = createReader();
  return {
    match(text) {
      let best: Match | undefined;
      for (const profile of profiles) {
        const candidate = fillArguments(profile, text, read(text, profile), now());
        if (candidate === undefined) continue;
        const score = scoreOf(profile, candidate, rarity);
        if (score !== undefined && score > (best?.score ?? 0))
          best = { tool: profile.tool, input: candidate.input, score };
      }
      return best;
    },
    again(tool, text) {
      const profile = profileOf(tool);
      const filled = fillArguments(profile, text, read(text, profile), now());
      if (filled === undefined || Object.keys(filled.input).length === 0) return undefined;
      const { tokens, used } = filled.taking;
      const isAccounted = tokens.every(
        ({ role, concept }, index) => role !== 'content' || used.get(index) === 'exact' || profile.terms.has(concept),
      );
      return isAccounted ? { tool, input: filled.input, score: filled.taking.evidence } : undefined;
    },
  };
}

/** Reads texts in both ways, with arithmetic as one token and without, and remembers the last one: every tool asks for the same. */
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
  { taking, input }: Filled,
  rarity: (concept: string) => number,
): number | undefined {
  const { tokens, used } = taking;
  if (asksForPart(tokens, profile, used)) return undefined;
  const head = tokens.findIndex(({ role, kind }) => role === 'content' && kind === 'word');
  const seen = new Set<string>();
  let evidence = taking.evidence;
  let weak = 0;
  let explained = 0;
  let unexplained = 0;
  for (const [index, token] of tokens.entries()) {
    const how = used.get(index);
    const weight = profile.terms.get(token.concept) ?? 0;
    if (how === 'exact') explained += 1;
    else if (how === 'free' && isForeign(token, index === head)) return undefined;
    else if (how === 'free' || token.role === 'stop') continue;
    else if (token.kind === 'word' && weight > 0) {
      const share = token.role === 'neutral' ? 0.5 : 1;
      const says = seen.has(token.concept) ? 0 : share * weight * rarity(token.concept);
      if (weight < 1 && WEAK_STEMS.has(token.concept)) weak += says;
      else {
        evidence += says;
        seen.add(token.concept);
      }
      explained += share;
    } else if (token.role === 'content') {
      if (isForeign(token, index === head) || FILE_CONCEPTS.has(tokens[index + 1]?.concept ?? '')) return undefined;
      unexplained += index === head ? 2 : /^\p{Lu}/u.test(token.text) ? 1.5 : 1;
    }
  }
  if (seen.size > 0) evidence += weak;
  if (isLooseSearch(profile, taking.used, tokens, seen, input)) return undefined;
  if (profile.skeletons.has(skeletonOf(tokens, used))) {
    evidence += 1;
    explained += 1;
  }
  const coverage = explained / Math.max(1e-9, explained + unexplained);
  return evidence < EVIDENCE_FLOOR || coverage < COVERAGE_FLOOR ? undefined : evidence * coverage;
}

/** An action at the head of a request, or a work to be made, that the tool doesn't name. */
function isForeign(token: Token, isHead: boolean): boolean {
  if (token.kind !== 'word') return false;
  return (isHead && ACTION_STEMS.has(token.concept)) || WORK_STEMS.has(token.concept);
}

/** A wish for a count, a size or a part of something, which a tool that doesn't name it gives no answer to. */
function asksForPart(tokens: readonly Token[], { terms, slots }: ToolProfile, used: Filled['taking']['used']): boolean {
  const isNumber = slots.some(({ kind }) => kind === 'expression' || kind === 'number');
  return tokens.some(
    ({ lower, concept }, index) =>
      (lower === 'many' && tokens[index - 1]?.lower === 'how' && !isNumber && !terms.has(COUNT)) ||
      (PART_STEMS.has(concept) && used.get(index) !== 'exact' && !terms.has(concept)),
  );
}

/** Plain words as search terms could be any wish: one needs a sign that a search is meant, several need two or a place to search in. */
function isLooseSearch(
  profile: ToolProfile,
  used: ReadonlyMap<number, string>,
  tokens: readonly Token[],
  seen: ReadonlySet<string>,
  input: JsonObject,
): boolean {
  const loose = tokens.filter((_, index) => used.get(index) === 'free').length;
  if (loose === 0 || !profile.slots.some(({ kind }) => kind === 'search')) return false;
  const signs = [...seen].filter((concept) => SEARCH_SIGNS.has(concept)).length;
  const verb = tokens.findIndex(({ lower }) => SEARCH_VERB.test(lower));
  if (signs < 2 && verb !== -1 && WISH_WORDS.test(tokens[verb + 1]?.lower ?? '')) return true;
  const hasPath = profile.slots.some(({ kind, name }) => kind === 'path' && Object.hasOwn(input, name));
  return signs === 0 || (loose > 1 && seen.size < 2 && !hasPath);
}
