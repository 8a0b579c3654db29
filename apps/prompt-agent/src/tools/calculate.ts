import type { Tool, ToolPhrase } from '@kernel/protocol';
import { bindTool, type ToolBinding } from '@kernel/tools';
import { evaluate } from './evaluate.ts';
import { tidy } from './tidy.ts';

const phrases = (expression: string, texts: readonly string[]): readonly ToolPhrase[] =>
  texts.map((text) => ({ text, input: { expression } }));

const tool: Tool = {
  name: 'calculate',
  title: 'Calculator',
  description: 'Evaluates an arithmetic expression and returns the number.',
  parameters: {
    type: 'object',
    properties: {
      expression: {
        type: 'string',
        minLength: 1,
        maxLength: 1000,
        description:
          'Arithmetic with + - * / ^ ! and parentheses, % (a remainder as in 7 % -3, a percentage as in 50% + 1), pi, e, and functions such as sqrt(2), round(x), max(a, b) or mean(a, b, c).',
      },
    },
    required: ['expression'],
    additionalProperties: false,
  },
  effect: 'read',
  metadata: {
    category: 'utility',
    usageHint:
      'To work out sums, products, percentages, powers and roots: what an expression equals, how much it is or comes to.',
    examples: [
      { description: 'Calculate 12.5 * (3 + 4)', input: { expression: '12.5 * (3 + 4)' }, output: '87.5' },
      { description: 'How much is 15% of 80?', input: { expression: '15 / 100 * 80' }, output: '12' },
    ],
    phrases: [
      ...phrases('{amount} * {percent} / 100', [
        '{percent:number} (%|percent) tip (of|on) {amount:number}',
        'tip {percent:number} (%|percent) on {amount:number}',
        '(a|) tip of {percent:number} (%|percent) (on|for) {amount:number}',
        '(a|) {percent:number} (%|percent) tip (on|for) {amount:number}',
        'how much (is|would|should) (a|) {percent:number} (%|percent) tip (on|for) {amount:number}',
        'how much is {percent:number} (%|percent) of {amount:number}',
      ]),
      ...phrases('{amount} * (1 + {percent} / 100)', [
        '{amount:number} plus {percent:number} (%|percent)',
        'add {percent:number} (%|percent) to {amount:number}',
        '{amount:number} (with|plus|and) (a|) {percent:number} (%|percent) tip',
        '{amount:number} increased by {percent:number} (%|percent)',
      ]),
      ...phrases('{amount} * (1 - {percent} / 100)', [
        '{amount:number} (minus|less) {percent:number} (%|percent)',
        '(subtract|take) {percent:number} (%|percent) from {amount:number}',
        '{percent:number} (%|percent) off (of|) {amount:number}',
        '{amount:number} (with|at) (a|) {percent:number} (%|percent) (discount|off)',
        '{amount:number} decreased by {percent:number} (%|percent)',
      ]),
      ...phrases('{part} / {whole} * 100', [
        '{part:number} is what (percent|percentage|%) of {whole:number}',
        'what (percent|percentage|%) of {whole:number} is {part:number}',
        '{part:number} as (a|) (percent|percentage) of {whole:number}',
      ]),
      ...phrases('{total} / {people}', [
        '(split|divide) (bill|) (of|) {total:number} (between|among|by) {people:number} (people|persons|friends|ways|of|) (us|)',
        'split {total:number} {people:number} ways',
      ]),
      ...phrases('mean({numbers})', ['(average|mean) of {numbers:numbers}', '(average|mean) {numbers:numbers}']),
      ...phrases('median({numbers})', ['median of {numbers:numbers}']),
      ...phrases('sum({numbers})', ['(sum|total) of {numbers:numbers}', '(sum|add) (up|) {numbers:numbers}']),
      ...phrases('max({numbers})', [
        '(maximum|max|largest|biggest|highest|greatest) (number|value|) of {numbers:numbers}',
      ]),
      ...phrases('min({numbers})', ['(minimum|min|smallest|lowest|least) (number|value|) of {numbers:numbers}']),
    ],
  },
};

/** Binds `calculate`. */
export function calculateTool(): ToolBinding {
  return bindTool<{ expression: string }>(tool, ({ expression }) => tidy(evaluate(expression)));
}
