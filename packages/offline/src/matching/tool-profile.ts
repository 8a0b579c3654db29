import type { Tool } from '@kernel/protocol';
import { type Slot, slotsOf } from '../arguments/argument-slots.ts';
import { conceptOf, STOP_WORDS } from '../language/lexicon.ts';
import { tokenize } from '../language/tokenize.ts';
import { wordsOf } from '../language/words.ts';
import type { ToolPhrase } from '../phrases/compile-phrase.ts';

/** A tool's own words, in a form that a prompt can be compared with. */
export interface ToolProfile {
  readonly tool: Tool;
  /** The weight of each concept: 1 if it is in the tool's name, less in its description, hints and arguments. */
  readonly terms: ReadonlyMap<string, number>;
  /** The tool's arguments, in the order of its schema, without those that only phrases fill: these are too easily meant otherwise. */
  readonly slots: readonly Slot[];
}

export function profileOf(tool: Tool, phrases: readonly ToolPhrase[]): ToolProfile {
  const { examples = [], tags = [], usageHint = '' } = tool.metadata ?? {};
  const [phrased, shown] = [phrases, examples].map((all) => new Set(all.flatMap(({ input }) => Object.keys(input))));
  const slots = slotsOf(tool).filter(({ name }) => phrased?.has(name) !== true || shown?.has(name) === true);
  const terms = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) {
      const concept = conceptOf(word);
      if (!STOP_WORDS.has(word)) terms.set(concept, Math.max(weight, terms.get(concept) ?? 0));
    }
  };
  add(`${tool.name} ${tool.title ?? ''}`, 1);
  add(usageHint, 0.9);
  add(`${tool.description} ${tags.join(' ')}`, 0.7);
  for (const slot of slots) add(slot.name, 0.4);
  for (const { description, input } of examples) {
    const values = JSON.stringify(Object.values(input)).toLowerCase();
    for (const { kind, lower } of tokenize(description))
      if (kind === 'word' && !values.includes(lower)) add(lower, 0.9);
  }
  return { tool, terms, slots };
}
