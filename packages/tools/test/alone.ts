// What a user of this package alone writes. Packed, installed, type-checked and run by scripts/pack-check.ts.
import type { Tool } from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';

const add = bindTool(
  {
    name: 'add',
    description: 'Adds two numbers.',
    parameters: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
  },
  ({ a, b }: { a: number; b: number }) => `It is ${a + b}.`,
);
const registry = createRegistry([add]);

const good = await registry.execute('add', '{"a": 1, "b": "2"}'); // "2" is mended to 2, and the repair is listed
if (good.forLLM !== 'It is 3.' || good.repairs?.length !== 1) throw new Error(JSON.stringify(good));

const wrong = await registry.execute('add', { a: 'one' });
if (wrong.code !== 'ARGUMENTS_INVALID') throw new Error(wrong.forLLM);

// @ts-expect-error -- a binding is not a tool: its handler cannot end up in a request
const tool: Tool = add;
if (registry.list()[0] !== add.tool || 'handler' in add.tool) throw new Error(tool.name);
console.log('alone: ok');
