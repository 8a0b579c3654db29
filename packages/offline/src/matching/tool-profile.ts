import type { Tool } from '@kernel/protocol';
import { conceptOf, STOP_WORDS } from '../language/lexicon.ts';
import { type Slot, slotsOf } from '../arguments/argument-slots.ts';
import type { ToolPhrase } from '../phrases/tool-phrase.ts';
import { wordsOf } from '../language/words.ts';
import { type Token, tokenize } from '../language/tokenize.ts';

/** A tool's own words, in a form that a prompt can be compared with. */
export interface ToolProfile {
  readonly tool: Tool;
  /** The weight of each concept: 1 if it is in the tool's name, less in its description, hints and arguments. */
  readonly terms: ReadonlyMap<string, number>;
  /** The tool's arguments, in the order of its schema, without those that only phrases fill. */
  readonly slots: readonly Slot[];
  /** The arguments that only phrases fill. */
  readonly phrasedSlots: readonly Slot[];
  /** The descriptions of the tool's examples, with the arguments masked. */
  readonly exampleTemplates: ReadonlySet<string>;
}

/** Returns the profile of a tool and the phrases for it. */
export function profileOf(tool: Tool, phrases: readonly ToolPhrase[]): ToolProfile {
  const phrased = namesIn(phrases);
  const exemplified = namesIn(tool.metadata?.examples);
  // An argument that only phrases fill is too easily meant otherwise: `tomorrow` in `the time in Tokyo tomorrow`.
  const isPhrased = ({ name }: Slot) => phrased.has(name) && !exemplified.has(name);
  const slots = slotsOf(tool).filter((slot) => !isPhrased(slot));
  const phrasedSlots = slotsOf(tool).filter(isPhrased);
  const terms = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) {
      const concept = conceptOf(word);
      if (!STOP_WORDS.has(word)) terms.set(concept, Math.max(weight, terms.get(concept) ?? 0));
    }
  };
  add(`${tool.name} ${tool.title ?? ''}`, 1);
  add(tool.metadata?.usageHint ?? '', 0.9);
  add(`${tool.description} ${tool.metadata?.tags?.join(' ') ?? ''}`, 0.8);
  for (const slot of slots) add(slot.name, 0.4);
  const exampleTemplates = new Set<string>();
  for (const { description, input } of tool.metadata?.examples ?? []) {
    const values = Object.values(input).map((value) =>
      String(typeof value === 'object' ? JSON.stringify(value) : value),
    );
    const tokens = tokenize(description);
    const masked = new Set(tokens.flatMap((token, index) => (isPartOf(token, values) ? [index] : [])));
    const words = tokens.filter((token, index) => token.kind === 'word' && !masked.has(index));
    add(words.map(({ text }) => text).join(' '), 0.9);
    exampleTemplates.add(templateOf(tokens, masked));
  }
  return { tool, terms, slots, phrasedSlots, exampleTemplates };
}

function namesIn(calls: readonly { readonly input: object }[] = []): ReadonlySet<string> {
  return new Set(calls.flatMap(({ input }) => Object.keys(input)));
}

function isPartOf({ role, lower }: Token, values: readonly string[]): boolean {
  return role !== 'stop' && values.some((value) => value.toLowerCase().includes(lower.replaceAll(' ', '')));
}

/** Words that mean the same in a question: `which files are there`, `what files are here`. */
const EQUIVALENTS = new Map([
  ['which', 'what'],
  ['there', 'here'],
  ['here', 'here'],
]);

/** Returns the words of a request with its arguments masked, so that requests of the same form are equal. */
export function templateOf(
  tokens: readonly Token[],
  masked: ReadonlySet<number> | ReadonlyMap<number, unknown>,
): string {
  const parts: string[] = [];
  for (const [index, token] of tokens.entries()) {
    const part = masked.has(index) ? '<>' : (EQUIVALENTS.get(token.lower) ?? token.concept);
    if (part !== 'pleas' && part !== 'me' && !(part === '<>' && parts.at(-1) === '<>')) parts.push(part);
  }
  return parts.join(' ');
}
