import type { Tool } from '@kernel/protocol';
import { bindTool, type ToolBinding } from '@kernel/tools';
import { evaluate, tidy } from './evaluate.ts';

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
  },
};

export function calculateTool(): ToolBinding {
  return bindTool<{ expression: string }>(tool, ({ expression }) => tidy(evaluate(expression)));
}
