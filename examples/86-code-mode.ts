// A model that writes programs, beside the same model that calls tools itself: turns, tokens and time of three tasks, and an order that is asked about.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { collect, estimateTokens, run } from '@kernel/agent';
import { withCodeMode } from '@kernel/code-mode';
import type { Approve, Provider, Toolset } from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';

const byId = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const;
const none = { type: 'object', properties: {} } as const;
const ids = Array.from({ length: 40 }, (_, at) => at + 1);
const text =
  'A product that is described at some length, as products are, with its material, its colour and its history.';

const shop = createRegistry([
  bindTool(
    { name: 'list_products', description: 'Lists the ids of all products.', effect: 'read', parameters: none },
    () => ids,
  ),
  bindTool({ name: 'get_product', description: 'Returns a product.', effect: 'read', parameters: byId }, (input) => {
    const id = Number(input['id']);
    return { id, name: `Product ${id}`, euros: (id * 37) % 100, vendor: id % 7, text };
  }),
  bindTool({ name: 'get_vendor', description: 'Returns a vendor.', effect: 'read', parameters: byId }, (input) => {
    const id = Number(input['id']);
    return { id, name: `Vendor ${id}`, country: id % 2 === 0 ? 'PT' : 'FI', text };
  }),
  bindTool(
    { name: 'order', description: 'Orders a product.', effect: 'external', parameters: byId },
    (input) => `ordered ${Number(input['id'])}`,
  ),
]);

interface Call {
  readonly name: string;
  readonly input: object;
}

/** A task: the calls that a model makes turn by turn, and the program that does the same. */
interface Task {
  readonly name: string;
  readonly turns: readonly (readonly Call[])[];
  readonly code: string;
}

const products = ids.map((id) => ({ name: 'get_product', input: { id } }));
const list = { name: 'list_products', input: {} };
const tasks: readonly Task[] = [
  {
    name: 'the cheapest of 40 products',
    turns: [[list], products.slice(0, 20), products.slice(20)],
    code: `
      const all = await Promise.all((await tools.list_products({})).map((id) => tools.get_product({ id })));
      const cheapest = all.toSorted((a, b) => a.euros - b.euros)[0];
      return { id: cheapest.id, euros: cheapest.euros };`,
  },
  {
    name: 'products by country of the vendor',
    turns: [
      [list],
      products.slice(0, 20),
      products.slice(20),
      [0, 1, 2, 3, 4, 5, 6].map((id) => ({ name: 'get_vendor', input: { id } })),
    ],
    code: `
      const all = await Promise.all((await tools.list_products({})).map((id) => tools.get_product({ id })));
      const vendors = await Promise.all([...new Set(all.map(({ vendor }) => vendor))].map((id) => tools.get_vendor({ id })));
      const country = new Map(vendors.map(({ id, country }) => [id, country]));
      return Object.fromEntries(['PT', 'FI'].map((each) => [each, all.filter(({ vendor }) => country.get(vendor) === each).length]));`,
  },
  {
    name: 'one product, and order it',
    turns: [[{ name: 'get_product', input: { id: 7 } }], [{ name: 'order', input: { id: 7 } }]],
    code: `
      const { id, euros } = await tools.get_product({ id: 7 });
      return euros < 100 ? await tools.order({ id }) : 'too dear';`,
  },
];

/** A model that makes these calls, turn by turn; each reply takes 100 ms. It counts what it would read. */
function modelOf(turns: readonly (readonly Call[])[]) {
  let tokens = 0;
  const provider: Provider = {
    name: 'scripted',
    async *stream({ messages, tools = [] }) {
      await delay(100);
      tokens +=
        messages.reduce((sum, message) => sum + estimateTokens(message), 0) +
        Math.ceil(JSON.stringify(tools).length / 4);
      const turn = messages.filter(({ role }) => role === 'assistant').length;
      const calls = (turns[turn] ?? []).map(({ name, input }, at) => ({
        type: 'tool-call' as const,
        id: `${turn}.${at}`,
        name,
        arguments: JSON.stringify(input),
      }));
      const content = calls.length > 0 ? calls : [{ type: 'text' as const, text: 'Done.' }];
      yield { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'stop' };
    },
  };
  return { provider, tokens: () => tokens };
}

const asked: string[] = [];
const approve: Approve = ({ call }) => {
  asked.push(`${call.name} ${call.arguments}`);
  return { decision: 'allow' };
};

async function measure(turns: Task['turns'], tools: Toolset) {
  const { provider, tokens } = modelOf(turns);
  const since = performance.now();
  const result = await collect(
    run({ provider, model: 'm', messages: [{ role: 'user', content: 'Do it.' }], tools, approve }),
  );
  assert.equal(result.reason, 'done');
  const ms = Math.round((performance.now() - since) / 10) * 10;
  return { turns: result.turns, tokens: tokens(), ms, last: result.toolCalls.at(-1)?.result?.forLLM };
}

// Programs are not asked about, their calls are.
const programs = withCodeMode(shop, { effect: 'read' });
console.log('task                               calls itself                     writes a program');
for (const { name, turns, code } of tasks) {
  const direct = await measure(turns, shop);
  const program = await measure([[{ name: 'run_code', input: { code } }]], programs);
  const row = (each: typeof direct): string => `${each.turns} turns, ${each.tokens} tokens, ${each.ms} ms`.padEnd(33);
  console.log(`${name.padEnd(35)}${row(direct)}${row(program)}${program.last}`);
  assert.ok(name.startsWith('one') || program.tokens < direct.tokens / 2, `${program.tokens} of ${direct.tokens}`);
}
assert.deepEqual(asked, ['order {"id":7}', 'order {"id":7}']);
