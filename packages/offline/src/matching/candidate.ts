import { isObject } from '@kernel/internal';
import type { Tool } from '@kernel/protocol';
import { type Slot, slotsOf } from '../arguments/argument-slots.ts';
import { conceptOf, STOP_WORDS, wordsOf } from '../language/lexicon.ts';
import { tokenize } from '../language/tokenize.ts';
import type { ToolPhrase } from '../phrases/match-phrase.ts';
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
