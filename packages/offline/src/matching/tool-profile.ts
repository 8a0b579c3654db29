import type { Tool } from '@kernel/protocol';
import { type Slot, slotsOf } from '../arguments/argument-slots.ts';
import { conceptOf, STOP_WORDS } from '../language/lexicon.ts';
import { type Token, tokenize } from '../language/tokenize.ts';
import { wordsOf } from '../language/words.ts';
import type { ToolPhrase } from '../phrases/tool-phrase.ts';

/** A tool's own words, in a form that a prompt can be compared with. */
export interface ToolProfile {
  readonly tool: Tool;
  /** The weight of each concept: 1 if it is in the tool's name, less in its description, hints and arguments. */
  readonly terms: ReadonlyMap<string, number>;
  /** The tool's arguments, in the order of its schema, without those that only phrases fill. */
  readonly slots: readonly Slot[];
  readonly phrasedSlots: readonly Slot[];
  /** The descriptions of the tool's examples, with the arguments masked. */
  readonly templates: ReadonlySet<string>;
}

export function profileOf(tool: Tool, phrases: readonly ToolPhrase[]): ToolProfile {
  const { examples = [], tags = [], usageHint = '' } = tool.metadata ?? {};
  // An argument that only phrases fill is too easily meant otherwise: `tomorrow` in `the time in Tokyo tomorrow`.
  const isPhrased = ({ name }: Slot) =>
    phrases.some(({ input }) => Object.hasOwn(input, name)) &&
    !examples.some(({ input }) => Object.hasOwn(input, name));
  const all = slotsOf(tool);
  const slots = all.filter((slot) => !isPhrased(slot));
  const terms = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) {
      const concept = conceptOf(word);
      if (!STOP_WORDS.has(word)) terms.set(concept, Math.max(weight, terms.get(concept) ?? 0));
    }
  };
  add(`${tool.name} ${tool.title ?? ''}`, 1);
  add(usageHint, 0.9);
  add(`${tool.description} ${tags.join(' ')}`, 0.8);
  for (const slot of slots) add(slot.name, 0.4);
  const templates = examples.map(({ description, input }) => {
    const values = Object.values(input).map((value) =>
      (typeof value === 'string' ? value : JSON.stringify(value)).toLowerCase(),
    );
    const isValue = ({ role, lower }: Token) =>
      role !== 'stop' && values.some((value) => value.includes(lower.replaceAll(' ', '')));
    const tokens = tokenize(description);
    for (const token of tokens) if (token.kind === 'word' && !isValue(token)) add(token.text, 0.9);
    return templateOf(tokens, isValue);
  });
  return { tool, terms, slots, phrasedSlots: all.filter(isPhrased), templates: new Set(templates) };
}

/** Words that mean the same in a question: `which files are there`, `what files are here`. */
const EQUIVALENTS = new Map([
  ['which', 'what'],
  ['there', 'here'],
  ['here', 'here'],
]);

export function templateOf(tokens: readonly Token[], isValue: (token: Token, index: number) => boolean): string {
  const words = tokens.map((token, index) =>
    isValue(token, index) ? '<>' : (EQUIVALENTS.get(token.lower) ?? token.concept),
  );
  const said = words.filter((word) => word !== 'pleas' && word !== 'me');
  return said.filter((word, index) => word !== '<>' || said[index - 1] !== '<>').join(' ');
}
