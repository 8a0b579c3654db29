import { collect, run, type RunResult } from '@kernel/agent';
import type { Approve, JsonValue, Message, Toolset } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { expect, test } from 'vitest';
import { approvePlans, type CodeModeOptions, withCodeMode } from '@kernel/code-mode';

const made: string[] = [];
const id = {
  type: 'object',
  properties: { id: { type: 'number' } },
  required: ['id'],
  additionalProperties: false,
} as const;

function shop(): Toolset {
  made.length = 0;
  const price = bindTool(
    { name: 'price', description: 'Tells a price.', effect: 'read', parameters: id },
    ({ id: item }) => {
      made.push(`price ${Number(item)}`);
      return { id: Number(item), euros: Number(item) * 10 };
    },
  );
  const order = bindTool({ name: 'order', description: 'Orders.', effect: 'write', parameters: id }, ({ id: item }) => {
    made.push(`order ${Number(item)}`);
    return `ordered ${Number(item)}`;
  });
  const broken = bindTool({ name: 'broken', description: 'Fails.', effect: 'read', parameters: id }, () => {
    throw new Error('no stock');
  });
  return createRegistry([price, order, broken]);
}

/** Runs one program as a model would have it run; returns the result of its call. */
async function program(code: string, options?: CodeModeOptions, approve?: Approve) {
  const provider = scriptedProvider([
    { calls: [{ name: 'run_code', arguments: JSON.stringify({ code }) }] },
    { text: 'done' },
  ]);
  const tools = withCodeMode(shop(), { effect: 'read', ...options });
  const result = await collect(
    run({ provider, model: 'm', messages: [{ role: 'user', content: 'Go.' }], tools, approve }),
  );
  return resultOf(result);
}

function resultOf(result: RunResult) {
  const [call] = result.toolCalls;
  if (call?.result === undefined) throw new Error(JSON.stringify(result));
  return call.result;
}

test('a program calls tools, several at once, and what it returns is the result', async () => {
  const result = await program(`
    const prices = await Promise.all([1, 2, 3].map((id) => tools.price({ id })));
    return prices.filter(({ euros }) => euros > 10).map(({ id }) => id);
  `);
  expect(result.forLLM).toBe('[2,3]');
  expect(result.data).toEqual([2, 3]);
  expect(made).toEqual(['price 1', 'price 2', 'price 3']);
});

test('TypeScript runs without its types', async () => {
  verifies('codeMode.types');
  const result = await program(`
    interface Price { id: number; euros: number }
    const price = (await tools.price({ id: 4 as number })) as Price;
    return price.euros satisfies number;
  `);
  expect(result.forLLM).toBe('40');
});

test('what a program writes comes in order, before what it returns', async () => {
  const result = await program(`
    console.log('one', { two: 2 });
    text('three');
    text([4]);
    return 'five';
  `);
  expect(result.forLLM).toBe('one {"two":2}\nthree\n[4]\nfive');
});

test('a call that fails throws in the program, with the reason', async () => {
  verifies('codeMode.denied');
  const result = await program(`
    try { await tools.broken({ id: 1 }); } catch (error) { return error.message; }
  `);
  expect(result.forLLM).toContain('no stock');
});

test('a denied call throws with the reason, and nothing of it ran', async () => {
  verifies('codeMode.denied');
  const deny: Approve = () => ({ decision: 'deny', reason: 'not today' });
  const result = await program(
    `
    const { euros } = await tools.price({ id: 1 });
    try { await tools.order({ id: 1 }); } catch (error) { return euros + ' ' + error.message; }
  `,
    {},
    deny,
  );
  expect(result.forLLM).toMatch(/^10 .*not today/);
  expect(made).toEqual(['price 1']);
});

test('arguments are validated and repaired as those of a model', async () => {
  verifies('codeMode.calls');
  expect((await program(`return await tools.price({ id: '5' })`)).data).toEqual({ id: 5, euros: 50 });
  const wrong = await program(`try { await tools.price({ id: 'five' }) } catch (error) { return error.message }`);
  expect(wrong.forLLM).toContain('ARGUMENTS_INVALID');
});

test('a program that cannot run is not run, and the text says what to change', async () => {
  verifies('codeMode.checked');
  expect((await program('return tools.prize({ id: 1 })')).forLLM).toContain(
    'There is no tool "prize". Did you mean price?',
  );
  expect((await program('return tools.price({ ids: 1 })')).forLLM).toContain(
    'tools.price takes no "ids". Did you mean id?',
  );
  expect((await program('return (')).forLLM).toContain('1:8');
  expect((await program('await import("node:fs")')).forLLM).toContain('import() is not available');
});

test('values are kept for later programs of the same run', async () => {
  verifies('codeMode.values');
  const codes = [`store('seen', { ids: [1] })`, `return load('seen').ids`];
  const replies = codes.map((code) => ({ calls: [{ name: 'run_code', arguments: JSON.stringify({ code }) }] }));
  const provider = scriptedProvider([...replies, { text: 'done' }]);
  const tools = withCodeMode(shop());
  const messages: Message[] = [{ role: 'user', content: 'Go.' }];
  const { toolCalls } = await collect(run({ provider, model: 'm', messages, tools }));
  expect(toolCalls[1]?.result?.data).toEqual([1]);
});

test('a call that waits for a decision suspends the program, and another process continues it', async () => {
  verifies('codeMode.later');
  const code = `
    const random = Math.random();
    const { euros } = await tools.price({ id: 1 });
    await sleep(5);
    const done = await tools.order({ id: 1 });
    return [euros, done, random === Math.random(), Date.now() > 0];
  `;
  const provider = () =>
    scriptedProvider([{ calls: [{ name: 'run_code', arguments: JSON.stringify({ code }) }] }, { text: 'done' }]);
  const later: Approve = () => ({ decision: 'later' });
  const tools = () => withCodeMode(shop(), { effect: 'read' });
  const messages: Message[] = [{ role: 'user', content: 'Go.' }];
  const waiting = await collect(run({ provider: provider(), model: 'm', messages, tools: tools(), approve: later }));
  expect(waiting.reason).toBe('approval');
  expect(made).toEqual(['price 1']);
  const kept = JSON.parse(JSON.stringify(waiting.messages)) as readonly Message[];
  const allow: Approve = () => ({ decision: 'allow' });
  const model = scriptedProvider([{ text: 'done' }]);
  const result = await collect(run({ provider: model, model: 'm', messages: kept, tools: tools(), approve: allow }));
  expect(result.reason).toBe('done');
  expect(made).toEqual(['order 1']);
  expect(resultOf(result).data).toEqual([10, 'ordered 1', false, true] satisfies JsonValue);
});

test('calls made at once can be asked about as one plan', async () => {
  verifies('codeMode.plans');
  const plans: string[] = [];
  const asked: string[] = [];
  const approve = approvePlans(
    ({ call }) => {
      asked.push(call.arguments);
      return { decision: 'allow' };
    },
    ({ summary }) => {
      plans.push(summary);
      return { decision: 'allow' };
    },
  );
  const code = `
    await Promise.all([1, 2, 3].map((id) => tools.order({ id })));
    await tools.order({ id: 4 });
  `;
  await program(code, {}, approve);
  expect(plans).toEqual(['order × 3']);
  expect(asked).toEqual(['{"id":4}']);
  expect(made).toEqual(['order 1', 'order 2', 'order 3', 'order 4']);
});

test('the calls of a program are events of an agent within the call', async () => {
  verifies('codeMode.calls');
  const provider = scriptedProvider([
    { calls: [{ name: 'run_code', arguments: JSON.stringify({ code: 'await tools.price({ id: 7 })' }) }] },
    { text: 'done' },
  ]);
  const inner: string[] = [];
  for await (const event of run({
    provider,
    model: 'm',
    messages: [{ role: 'user', content: 'Go.' }],
    tools: withCodeMode(shop()),
  }))
    if (event.type === 'sub-agent-event' && event.event.type === 'tool-start')
      inner.push(`${event.path[0]}: ${event.event.call.arguments}`);
  expect(inner).toEqual(['run_code: {"id":7}']);
});

test('a program that does not end is ended, with what it wrote', async () => {
  const result = await program(`text('begun'); for (;;) {}`, { limits: { computeMs: 100 } });
  expect(result.isError).toBe(true);
  expect(result.forLLM).toContain('computed for more than 100 ms');
  expect(result.forLLM).toContain('begun');
});

test('the description declares the tools, with their types', () => {
  verifies('codeMode.types');
  const [tool] = withCodeMode(shop()).list();
  expect(tool?.description).toContain('/** Tells a price. */\nprice(input: { id: number }): Promise<unknown>;');
  expect(tool?.effect).toBe('write');
});

test('five hundred tools cost a few hundred tokens, and a program finds the one that it needs', async () => {
  verifies('codeMode.types');
  const many = Array.from({ length: 500 }, (_, at) =>
    bindTool(
      {
        name: `tool-${at}`,
        description: at === 317 ? 'Books a flight.' : 'Does something else entirely.',
        parameters: id,
        effect: 'read',
      },
      () => `booked by ${at}`,
    ),
  );
  const tools = withCodeMode(createRegistry(many));
  const [tool] = tools.list();
  expect(tool?.description.length).toBeLessThan(2500);
  const code = `
    const [found] = find_tools('book a flight');
    text(describe_tool(found.name));
    return await tools[found.name]({ id: 1 });
  `;
  const provider = scriptedProvider([
    { calls: [{ name: 'run_code', arguments: JSON.stringify({ code }) }] },
    { text: 'done' },
  ]);
  const result = resultOf(
    await collect(run({ provider, model: 'm', messages: [{ role: 'user', content: 'Go.' }], tools })),
  );
  expect(result.forLLM).toBe(
    '/** Books a flight. */\ntool_317(input: { id: number }): Promise<unknown>;\nbooked by 317',
  );
});

test('tools that stay direct are called by the model, the others by programs alone', async () => {
  const tools = withCodeMode(shop(), { direct: ['price'] });
  expect(tools.list().map(({ name }) => name)).toEqual(['price', 'run_code']);
  const context = { signal: new AbortController().signal };
  const direct = await tools.call({ type: 'tool-call', id: '1', name: 'price', arguments: '{"id":1}' }, context);
  expect(direct.data).toEqual({ id: 1, euros: 10 });
  const other = await tools.call({ type: 'tool-call', id: '2', name: 'order', arguments: '{"id":1}' }, context);
  expect(other.forLLM).toContain('Call run_code with a program that calls tools.order(input).');
  expect(made).toEqual(['price 1']);
});

test('an edited call runs as it was edited, and the program gets its result', async () => {
  const edit: Approve = () => ({ decision: 'edit', arguments: '{"id":9}' });
  const result = await program('return await tools.order({ id: 1 })', {}, edit);
  expect(result.forLLM).toBe('ordered 9');
});

test('a run that is aborted ends its program at once', async () => {
  const controller = new AbortController();
  const code = 'await tools.price({ id: 1 }); for (;;) {}';
  const provider = scriptedProvider([
    { calls: [{ name: 'run_code', arguments: JSON.stringify({ code }) }] },
    { text: 'done' },
  ]);
  const tools = withCodeMode(shop());
  const { signal } = controller;
  const running = collect(run({ provider, model: 'm', messages: [{ role: 'user', content: 'Go.' }], tools, signal }));
  while (made.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  expect((await running).reason).toBe('aborted');
});
