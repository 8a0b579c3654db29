// The registry without an agent: arguments are repaired where nothing is lost, and a wrong call becomes text that a model can act on.
import assert from 'node:assert/strict';
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
    effect: 'read',
  },
  ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
  { timeoutMs: 1000 },
);
const registry = createRegistry([add]);

const repaired = await registry.execute('add', '{"a": "2", "b": 3}');
assert.deepEqual(repaired.data, { sum: 5 });
assert.equal(repaired.repairs?.[0]?.path, '/a');

const wrong = await registry.execute('add', '{"a": "two"}');
assert.equal(wrong.code, 'ARGUMENTS_INVALID');
console.log(wrong.forLLM);

const unknown = await registry.execute('ad' as string);
assert.match(unknown.forLLM, /add/);
assert.throws(() => registry.register(add), { code: 'TOOL_ALREADY_EXISTS' });
