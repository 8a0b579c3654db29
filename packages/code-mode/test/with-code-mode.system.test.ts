import { agentAsTool, collect, run, type RunResult } from '@kernel/agent';
import { callTool, type Approve, type JsonValue, type Message, type Tool, type Toolset } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { scriptedProvider, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { expect, test } from 'vitest';
import {
  approvePlans,
  type CodeModeLimits,
  type CodeModeOptions,
  createInlineSandbox,
  withCodeMode,
} from '@kernel/code-mode';

const made: string[] = [];
const id = {
  type: 'object',
  properties: { id: { type: 'number' } },
  required: ['id'],
  additionalProperties: false,
} as const;

/** The calls of a reply that has programs run. */
const programs = (...codes: readonly string[]) => ({
  calls: codes.map((code) => ({ name: 'run_code', arguments: JSON.stringify({ code }) })),
});
const GO: readonly Message[] = [{ role: 'user', content: 'Go.' }];

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
  verifies('codemode.types');
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

test('an image that no vendor would take is an error of the program', async () => {
  const shown = await program(`image({ mimeType: 'image/png', data: 'iVBORw0KGgo=' })`);
  expect(shown.media).toEqual([{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }]);
  for (const given of [
    `{ mimeType: 'image/png', data: '%%% no' }`,
    `{ mimeType: 'image/png', data: '' }`,
    `{ mimeType: 'image/png\\r\\nx', data: 'AAAA' }`,
    `'data:text/html;base64,AAAA'`,
  ]) {
    const result = await program(`image(${given})`);
    expect(result.isError).toBe(true);
    expect(result.media).toBeUndefined();
  }
});

test('a call that fails throws in the program, with the reason', async () => {
  verifies('codemode.denied');
  const result = await program(`
    try { await tools.broken({ id: 1 }); } catch (error) { return error.message; }
  `);
  expect(result.forLLM).toContain('no stock');
});

test('a denied call throws with the reason, and nothing of it ran', async () => {
  verifies('codemode.denied');
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
  verifies('codemode.calls');
  expect((await program(`return await tools.price({ id: '5' })`)).data).toEqual({ id: 5, euros: 50 });
  const wrong = await program(`try { await tools.price({ id: 'five' }) } catch (error) { return error.message }`);
  expect(wrong.forLLM).toContain('ARGUMENTS_INVALID');
});

/** Runs one program over these tools. */
async function programOver(code: string, tools: Toolset, options?: CodeModeOptions) {
  const provider = scriptedProvider([programs(code), { text: 'done' }]);
  return resultOf(await collect(run({ provider, model: 'm', messages: GO, tools: withCodeMode(tools, options) })));
}

test('a program gets what a tool returned: null as null, and a text without the note on repaired arguments', async () => {
  verifies('codemode.calls');
  const tool = (name: string) => ({ name, description: name, effect: 'read', parameters: id }) as const;
  const tools = createRegistry([bindTool(tool('nothing'), () => null), bindTool(tool('words'), () => 'one\n2')]);
  const code = `return [await tools.nothing({ id: 1 }), await tools.words({ id: '1' })]`;
  expect((await programOver(code, tools)).data).toEqual([null, 'one\n2']);
});

test('a call that goes on in the background has ended for a program when its late result is there', async () => {
  verifies('codemode.calls');
  const report = bindTool({ name: 'report', description: 'Reports.', effect: 'read', parameters: id }, (_, context) => {
    setTimeout(() => context.onComplete?.({ forLLM: 'ready', data: { pages: 3 } }), 5);
    return { forLLM: 'begun', async: true };
  });
  const helper = agentAsTool({
    name: 'helper',
    description: 'Helps.',
    background: true,
    run: { provider: scriptedProvider([{ text: 'helped' }]), model: 'm' },
  });
  const code = `return await Promise.all([tools.report({ id: 1 }), tools.helper({ task: 'help' })])`;
  expect((await programOver(code, createRegistry([report, helper]))).data).toEqual([{ pages: 3 }, 'helped']);
});

test('a wrong option is refused when the toolset is made, and one that is undefined has its default', async () => {
  verifies('codemode.options');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a caller without types would
  const make = (options: object) => () => withCodeMode(shop(), options as CodeModeOptions);
  const wrong = [
    { effect: 'reed' },
    { sandbox: null },
    { values: null },
    { limits: { callsAtOnce: 0 } },
    { limits: { tokens: 'x' } },
    { limits: { cost: { max: 0, of: () => 1 } } },
    { limits: { cost: { max: 1 } } },
    { limits: { timeMs: 0.5 } },
    { limits: { calls: -1 } },
    { limits: { stackBytes: 1_000_000 } },
  ];
  for (const options of wrong) expect(make(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a caller without types would
  const absent = { calls: undefined } as object as CodeModeLimits;
  const code = `for (let at = 0; at < 1001; at += 1) await tools.price({ id: at })`;
  expect((await program(code, { limits: absent })).forLLM).toContain('may make 1000 calls');
  expect((await program(code, { limits: { calls: Infinity, computeMs: Infinity } })).isError).toBeUndefined();
});

test('toolsets share the worker that is kept for the next program', async () => {
  verifies('codemode.workers');
  const started: unknown[] = [];
  const onWorker = (worker: unknown) => void started.push(worker);
  process.on('worker', onWorker);
  for (let at = 0; at < 5; at += 1) await program('return 1');
  process.off('worker', onWorker);
  expect(started.length).toBeLessThanOrEqual(1);
});

test('the program is as strong as the strongest tool, and a tool of unknown effect is external', () => {
  const effectOf = (...effects: readonly string[]) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a toolset without types would
    const list = effects.map((effect) => ({ name: effect, description: '', parameters: {}, effect })) as Tool[];
    return withCodeMode(toToolset({ list: () => list, call: async () => ({ forLLM: '' }) })).list()[0]?.effect;
  };
  expect(effectOf('read', 'idempotent')).toBe('idempotent');
  expect(effectOf('write', 'read')).toBe('write');
  expect(effectOf('read', 'launches')).toBe('external');
  expect(effectOf()).toBe('read');
});

test('a program that cannot run is not run, and the text says what to change', async () => {
  verifies('codemode.checked');
  expect((await program('return tools.prize({ id: 1 })')).forLLM).toContain(
    'There is no tool "prize". Did you mean price?',
  );
  expect((await program('return tools.price({ ids: 1 })')).forLLM).toContain(
    'tools.price takes no "ids". Did you mean id?',
  );
  expect((await program('return (')).forLLM).toContain('1:8');
  expect((await program('await import("node:fs")')).forLLM).toContain('import() is not available');
});

test('a name of its own for tools, and properties that a schema declares in its parts, are no mistakes', async () => {
  verifies('codemode.checked');
  const lists = [
    `return [{ tools: [1, 2] }].map(({ tools }) => tools.length)[0]`,
    `try { throw [1, 2] } catch (tools) { return tools.length }`,
    `const count = function ([tools]) { return tools.length }; return count([[1, 2]])`,
  ];
  for (const code of lists) expect((await program(code)).forLLM).toBe('2');
  const b = { type: 'object', properties: { b: { type: 'number' } } } as const;
  const parameters = { type: 'object', properties: { a: { type: 'number' } }, allOf: [b] } as const;
  const sum = bindTool({ name: 'sum', description: 'Adds.', effect: 'read', parameters }, (input) =>
    Number(input['b']),
  );
  expect((await programOver('return tools.sum({ a: 1, b: 2 })', createRegistry([sum]))).forLLM).toBe('2');
});

test('a mistake in TypeScript is shown where it is, and a fence of Markdown around a program is none', async () => {
  verifies('codemode.checked');
  expect((await program('const a: number = 1;\nconst b: number = ;\nreturn a')).forLLM).toContain('(2:');
  expect((await program('const a = 1;\nconst b = ;\nreturn a')).forLLM).toContain('(2:10)');
  expect((await program('```ts\nconst a: number = 1;\nreturn a\n```\n')).forLLM).toBe('1');
});

test('values are kept for later programs of the same run', async () => {
  verifies('codemode.values');
  const codes = [`store('seen', { ids: [1] })`, `return load('seen').ids`];
  const replies = codes.map((code) => ({ calls: [{ name: 'run_code', arguments: JSON.stringify({ code }) }] }));
  const provider = scriptedProvider([...replies, { text: 'done' }]);
  const tools = withCodeMode(shop());
  const messages: Message[] = [{ role: 'user', content: 'Go.' }];
  const { toolCalls } = await collect(run({ provider, model: 'm', messages, tools }));
  expect(toolCalls[1]?.result?.data).toEqual([1]);
});

test('programs that run at once keep what each of them stored, and what another removed stays removed', async () => {
  verifies('codemode.values');
  const provider = scriptedProvider([
    programs(`store('old', 0); store('a', 0)`),
    programs(
      `store('a', 1); store('old', undefined); await tools.price({ id: 1 })`,
      `store('b', 2); await tools.price({ id: 1 }); await tools.price({ id: 2 })`,
    ),
    programs(`return [load('a'), load('b'), load('old') ?? 'gone']`),
    { text: 'done' },
  ]);
  const { toolCalls } = await collect(run({ provider, model: 'm', messages: GO, tools: withCodeMode(shop()) }));
  expect(toolCalls.at(-1)?.result?.data).toEqual([1, 2, 'gone']);
});

test('a program that is continued in another process finds the values that it began with', async () => {
  verifies('codemode.values', 'codemode.later');
  const code = `const id = load('id'); return [await tools.order({ id }), load('id')]`;
  const provider = scriptedProvider([programs(`store('id', 5)`), programs(code)]);
  const tools = () => withCodeMode(shop(), { effect: 'read' });
  const later: Approve = () => ({ decision: 'later' });
  const waiting = await collect(run({ provider, model: 'm', messages: GO, tools: tools(), approve: later }));
  expect(waiting.reason).toBe('approval');
  const messages = JSON.parse(JSON.stringify(waiting.messages)) as readonly Message[];
  const allow: Approve = () => ({ decision: 'allow' });
  const next = scriptedProvider([programs(`return load('id')`), { text: 'done' }]);
  const { toolCalls } = await collect(run({ provider: next, model: 'm', messages, tools: tools(), approve: allow }));
  expect(toolCalls[0]?.result?.data).toEqual(['ordered 5', 5]);
  expect(made).toEqual(['order 5']);
});

test('a call that waits for a decision suspends the program, and another process continues it', async () => {
  verifies('codemode.later');
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

test('a program that goes on after its tools have changed runs on: the text never says that it was not run', async () => {
  verifies('codemode.later');
  const code = `
    const { euros } = await tools.price({ id: 1 });
    const done = await tools.order({ id: 1 });
    try { await tools.price({ id: 2 }) } catch (error) { return [euros, done, error.message] }
  `;
  const later: Approve = () => ({ decision: 'later' });
  const allow: Approve = () => ({ decision: 'allow' });
  const tools = withCodeMode(shop(), { effect: 'read' });
  const provider = scriptedProvider([programs(code)]);
  const waiting = await collect(run({ provider, model: 'm', messages: GO, tools, approve: later }));
  const messages = JSON.parse(JSON.stringify(waiting.messages)) as readonly Message[];
  const order = bindTool({ name: 'order', description: 'Orders.', effect: 'write', parameters: id }, () => 'ordered');
  const model = scriptedProvider([{ text: 'done' }]);
  const fewer = withCodeMode(createRegistry([order]), { effect: 'read' });
  const result = await collect(run({ provider: model, model: 'm', messages, tools: fewer, approve: allow }));
  expect(resultOf(result).data).toEqual([10, 'ordered', expect.stringContaining('TOOL_NOT_FOUND')]);
});

test('a program that reaches a limit of its run says which, and which calls it has made', async () => {
  const code = `await tools.order({ id: 1 }); await tools.order({ id: 2 }); await tools.order({ id: 3 })`;
  const result = await program(code, { limits: { callsPerTool: 1 } });
  expect(result.forLLM).toBe(
    '"run_code" ended without an answer (limit: callsPerTool). Its calls until then: order (done), order (skipped).',
  );
});

test('calls made at once can be asked about as one plan', async () => {
  verifies('codemode.plans');
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

test('a plan has the calls of one program, whatever runs beside it, and none of an agent that is no program', async () => {
  verifies('codemode.plans');
  const plans: (readonly string[])[] = [];
  const single: string[] = [];
  const approve = approvePlans(
    ({ call }) => {
      single.push(call.arguments);
      return { decision: 'allow' };
    },
    ({ requests }) => {
      plans.push(requests.map(({ call }) => call.arguments));
      return { decision: 'allow' };
    },
  );
  const tools = withCodeMode(shop(), { effect: 'read', sandbox: createInlineSandbox() });
  const both = [1, 3].map((first) => {
    const code = `await Promise.all([tools.order({ id: ${first} }), tools.order({ id: ${first + 1} })])`;
    const provider = scriptedProvider([programs(code), { text: 'done' }]);
    return collect(run({ provider, model: 'm', messages: GO, tools, approve }));
  });
  await Promise.all(both);
  expect(plans.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
    ['{"id":1}', '{"id":2}'],
    ['{"id":3}', '{"id":4}'],
  ]);
  const calls = [5, 6].map((item) => ({ name: 'order', arguments: JSON.stringify({ id: item }) }));
  const seller = agentAsTool({
    name: 'seller',
    description: 'Sells.',
    effect: 'read',
    run: { provider: scriptedProvider([{ calls }, { text: 'sold' }]), model: 'm', tools: shop() },
  });
  const provider = scriptedProvider([{ calls: [{ name: 'seller', arguments: '{"task":"sell"}' }] }, { text: 'done' }]);
  await collect(run({ provider, model: 'm', messages: GO, tools: createRegistry([seller]), approve }));
  expect(single).toEqual(['{"id":5}', '{"id":6}']);
  expect(plans).toHaveLength(2);
});

test('the calls of a program are events of an agent within the call', async () => {
  verifies('codemode.calls');
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

test('a person reads what a tool says to a program, and the program gets its data', async () => {
  verifies('codemode.calls');
  const code = 'return [await tools.price({ id: 7 }), await tools.hello({})]';
  const hello = bindTool(
    { name: 'hello', description: 'Greets.', effect: 'read', parameters: { type: 'object', properties: {} } },
    () => 'Hello.\nAll is well.',
  );
  const price = bindTool({ name: 'price', description: 'Tells a price.', effect: 'read', parameters: id }, () => ({
    forLLM: 'It costs 70 euros.',
    data: { euros: 70 },
  }));
  const provider = scriptedProvider([programs(code), { text: 'done' }]);
  const shown: unknown[] = [];
  const returned: unknown[] = [];
  const tools = withCodeMode(createRegistry([price, hello]));
  for await (const event of run({ provider, model: 'm', messages: GO, tools })) {
    if (event.type === 'tool-end') returned.push(event.result.data);
    if (event.type === 'sub-agent-event' && event.event.type === 'tool-end') shown.push(event.event.result.forUser);
  }
  expect(shown).toEqual(['It costs 70 euros.', 'Hello.\nAll is well.']);
  expect(returned).toEqual([[{ euros: 70 }, 'Hello.\nAll is well.']]);
});

test('an error of a program has the line and the column where it was thrown', async () => {
  expect((await program('  missing()')).forLLM).toContain('program.js:1:3)');
  expect((await program('\n  missing()')).forLLM).toContain('program.js:2:3)');
});

test('a program that does not end is ended, with what it wrote', async () => {
  const result = await program(`text('begun'); for (;;) {}`, { limits: { computeMs: 100 } });
  expect(result.isError).toBe(true);
  expect(result.forLLM).toContain('computed for more than 100 ms');
  expect(result.forLLM).toContain('begun');
});

test('the description declares the tools, with their types', () => {
  verifies('codemode.types');
  const [tool] = withCodeMode(shop()).list();
  expect(tool?.description).toContain('/** Tells a price. */\nprice(input: { id: number }): Promise<unknown>;');
  expect(tool?.effect).toBe('write');
});

test('five hundred tools cost a few hundred tokens, and a program finds the one that it needs', async () => {
  verifies('codemode.types');
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
  const direct = await callTool(tools, { type: 'tool-call', id: '1', name: 'price', arguments: '{"id":1}' }, context);
  expect(direct.data).toEqual({ id: 1, euros: 10 });
  const other = await callTool(tools, { type: 'tool-call', id: '2', name: 'order', arguments: '{"id":1}' }, context);
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
