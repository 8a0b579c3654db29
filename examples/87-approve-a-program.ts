// The calls that a program makes at once are asked about as one plan, others one by one.
import assert from 'node:assert/strict';
import { collect, run } from '@kernel/agent';
import { approvePlans, withCodeMode } from '@kernel/code-mode';
import { scriptedProvider } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';

const parameters = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const;
const tool = { name: 'order', description: 'Orders a product.', effect: 'external', parameters } as const;
const ordered: number[] = [];
const order = bindTool(tool, (input) => {
  ordered.push(Number(input['id']));
  return 'ordered';
});

const approve = approvePlans(
  ({ call }) => (call.arguments === '{"id":9}' ? { decision: 'deny', reason: 'too dear' } : { decision: 'allow' }),
  ({ summary, requests }) => {
    console.log(`this program wants to: ${summary}`); // order × 3
    return requests.length <= 3 ? { decision: 'allow' } : { decision: 'each' };
  },
);

// A program, in place of a model that writes it:
const code = `
  await Promise.all([1, 2, 3].map((id) => tools.order({ id })));
  try {
    await tools.order({ id: 9 });
  } catch (error) {
    return error.message;
  }
`;
const provider = scriptedProvider([{ calls: [{ name: 'run_code', arguments: { code } }] }, { text: 'Done.' }]);
const tools = withCodeMode(createRegistry([order]), { effect: 'read' });
const messages = [{ role: 'user', content: 'Order 1, 2, 3 and 9.' }] as const;
const { toolCalls } = await collect(run({ provider, model: 'any-model', messages, tools, approve }));

assert.deepEqual(ordered, [1, 2, 3]);
assert.match(toolCalls[0]?.result?.forLLM ?? '', /too dear/);
