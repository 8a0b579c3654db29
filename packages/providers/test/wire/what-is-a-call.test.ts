import { readFileSync } from 'node:fs';
import { type Tool, toolCallsOf } from '@kernel/protocol';
import { type RawReply, toEventStreamFrame, verifies, type WireName } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { MESSAGES_CALLS } from '../../src/anthropic/server-parts.ts';
import { CONVERSE_CALLS } from '../../src/bedrock/opaque-block.ts';
import { GENERATE_CONTENT_CALLS } from '../../src/gemini/decode.ts';
import { CHAT_CALLS } from '../../src/openai/reply/call-reader.ts';
import { RESPONSES_CALLS } from '../../src/responses/client-calls.ts';
import { customTool } from '../../src/responses/server-tools.ts';
import { chunk, endOf, request, sse } from '../support.ts';
import { withWire } from '../wires.ts';

const echo: Tool = {
  name: 'echo',
  description: 'Repeats a text.',
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
};

type Streams = 'whole' | 'streamed';
/** Makes a reply whose only part calls `echo` by this type. */
type MakeReply = (type: string, how: Streams) => RawReply;

const json = (value: object): RawReply => ({
  headers: { 'content-type': 'application/json' },
  chunks: [JSON.stringify(value)],
});
const events = (...list: readonly (object | string)[]): RawReply => ({ chunks: [sse(...list)] });
const frames = (...list: readonly (readonly [string, object])[]): RawReply => ({
  headers: { 'content-type': 'application/vnd.amazon.eventstream' },
  chunks: list.map(([event, payload]) => toEventStreamFrame(event, payload)),
});

/** The part of a type, its start, and the piece that follows it. */
const REPLIES: readonly (readonly [WireName, MakeReply])[] = [
  [
    'openai',
    (type, how) => {
      const call = { id: 'c1', type, [type]: { name: 'echo', arguments: '{"text":"a"}' } };
      const { message } = { message: { role: 'assistant', tool_calls: [call] } };
      if (how === 'whole') return json({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
      return events(
        chunk({ tool_calls: [{ index: 0, id: 'c1', type, [type]: { name: 'echo', arguments: '{"te' } }] }),
        chunk({ tool_calls: [{ index: 0, [type]: { arguments: 'xt":"a"}' } }] }, 'tool_calls'),
        '[DONE]',
      );
    },
  ],
  [
    'openai-responses',
    (type, how) => {
      const item = { type, id: 'i1', call_id: 'c1', name: 'echo', arguments: '{"text":"a"}', status: 'completed' };
      const response = { status: 'completed', output: [item] };
      if (how === 'whole') return json(response);
      return events(
        { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response },
      );
    },
  ],
  [
    'anthropic',
    (type, how) => {
      const block = { type, id: 'c1', name: 'echo' };
      if (how === 'whole')
        return json({ type: 'message', content: [{ ...block, input: { text: 'a' } }], stop_reason: 'tool_use' });
      const delta = (partial_json: string) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      });
      return events(
        { type: 'message_start', message: {} },
        { type: 'content_block_start', index: 0, content_block: { ...block, input: {} } },
        delta('{"te'),
        delta('xt":"a"}'),
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
        { type: 'message_stop' },
      );
    },
  ],
  [
    'gemini',
    (type, how) => {
      const part = { [type]: { id: 'c1', name: 'echo', args: { text: 'a' } } };
      const reply = { candidates: [{ content: { parts: [part] }, finishReason: 'STOP' }] };
      return how === 'whole' ? json(reply) : events(reply);
    },
  ],
  [
    'bedrock',
    (type, how) => {
      // A tool use has its type inside; another block is a kind of its own.
      const [key, own] = type.includes('_') ? ['toolUse', { type }] : [type, {}];
      const start = { [key]: { ...own, toolUseId: 'c1', name: 'echo' } };
      if (how === 'whole') {
        const content = [{ [key]: { ...own, toolUseId: 'c1', name: 'echo', input: { text: 'a' } } }];
        return json({ output: { message: { role: 'assistant', content } }, stopReason: 'tool_use' });
      }
      const delta = (input: string) => ({ contentBlockIndex: 0, delta: { [key]: { input } } });
      return frames(
        ['contentBlockStart', { contentBlockIndex: 0, start }],
        ['contentBlockDelta', delta('{"te')],
        ['contentBlockDelta', delta('xt":"a"}')],
        ['contentBlockStop', { contentBlockIndex: 0 }],
        ['messageStop', { stopReason: 'tool_use' }],
      );
    },
  ],
];

const TYPES = {
  openai: CHAT_CALLS,
  'openai-responses': RESPONSES_CALLS,
  anthropic: MESSAGES_CALLS,
  gemini: GENERATE_CONTENT_CALLS,
  bedrock: CONVERSE_CALLS,
};
const CASES = REPLIES.flatMap(([wire, reply]) =>
  (['whole', 'streamed'] as const).map((how) => [wire, how, reply] as const),
);

async function callsIn(wire: WireName, reply: RawReply, tools?: readonly Tool[], stream = false) {
  let found: Awaited<ReturnType<typeof endOf>> | undefined;
  await withWire(wire, { replies: [reply], strict: false }, async ({ provider }) => {
    found = await endOf(provider.stream(request({ stream, ...(tools === undefined ? {} : { tools }) })));
  });
  const { finishReason, message } = found ?? {};
  const calls = message === undefined ? [] : toolCallsOf(message);
  return {
    finishReason,
    calls: calls.map(({ arguments: text, id, name }) => [id, name, JSON.parse(text) as unknown]),
    kept: message?.content.filter(({ type }) => type !== 'tool-call' && type !== 'text').length,
  };
}

const ECHOED = { finishReason: 'tool-calls', calls: [['c1', 'echo', { text: 'a' }]], kept: 0 };

describe.each(CASES)('over %s, in a %s reply', (wire, how, reply) => {
  const { calls, vendor } = TYPES[wire as keyof typeof TYPES];
  const read = (type: string, tools?: readonly Tool[]) => callsIn(wire, reply(type, how), tools, how === 'streamed');

  test('each type of a call is one, whether or not the request says so', async () => {
    verifies('providers.calls.types');
    for (const type of calls) {
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      expect([await read(type), await read(type, [echo])]).toEqual([ECHOED, ECHOED]);
    }
  });

  test('a type that nobody knows is a call if a tool of its name was on offer, and is kept otherwise', async () => {
    verifies('providers.calls.unknown', 'providers.replies.opaque');
    for (const type of wire === 'bedrock' ? ['newKind', 'new_tool_use'] : ['newKind']) {
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      expect(await read(type, [echo])).toEqual(ECHOED);
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      expect(await read(type, [{ ...echo, name: 'other' }])).toMatchObject({ calls: [], kept: 1 });
    }
  });

  test('what the vendor ran is not a call, although a tool of its name was on offer', async () => {
    verifies('providers.calls.types');
    for (const type of vendor.filter((each) => !each.startsWith('*'))) {
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      expect(await read(type, [echo])).toMatchObject({ calls: [] });
    }
  });
});

test('a streamed call of a type that nobody knows is one as soon as its name is known, and is kept without a name', async () => {
  verifies('providers.calls.unknown', 'providers.replies.opaque');
  const pieces = (name: object): RawReply =>
    events(
      chunk({ tool_calls: [{ index: 0, id: 'c1', type: 'newKind' }] }),
      chunk({ tool_calls: [{ index: 0, newKind: { ...name, arguments: '{"te' } }] }),
      chunk({ tool_calls: [{ index: 0, newKind: { arguments: 'xt":"a"}' } }] }, 'tool_calls'),
      '[DONE]',
    );
  expect(await callsIn('openai', pieces({ name: 'echo' }), [echo], true)).toEqual(ECHOED);
  expect(await callsIn('openai', pieces({ name: 'other' }), [echo], true)).toMatchObject({ calls: [], kept: 1 });
  expect(await callsIn('openai', pieces({}), [echo], true)).toMatchObject({ calls: [], kept: 1 });
});

test("text beside Gemini's call in one part is text", async () => {
  verifies('providers.calls.types');
  const part = { text: 'Let me look.', functionCall: { id: 'c1', name: 'echo', args: { text: 'a' } } };
  const reply = json({ candidates: [{ content: { parts: [part] }, finishReason: 'STOP' }] });
  await withWire('gemini', { replies: [reply], strict: false }, async ({ provider }) => {
    const { message } = await endOf(provider.stream(request({ stream: false })));
    expect(message.content.map((each) => (each.type === 'text' ? each.text : each.type))).toEqual([
      'Let me look.',
      'tool-call',
    ]);
  });
});

describe('the chat completions of Snowflake', () => {
  const text = { type: 'text', text: 'Let me look.' };
  const uses = ['c1', 'c2'].map((id) => ({ tool_use_id: id, name: 'echo', input: { text: id } }));
  const found = {
    finishReason: 'tool-calls',
    calls: uses.map(({ input, name, tool_use_id }) => [tool_use_id, name, input]),
    kept: 0,
  };

  test('have their text and their calls in a list of parts', async () => {
    verifies('providers.calls.types');
    const content_list = [text, ...uses.map((tool_use) => ({ type: 'tool_use', tool_use }))];
    for (const content of [undefined, '', 'Let me look.']) {
      const reply = json({ choices: [{ index: 0, message: { content, content_list }, finish_reason: 'tool_use' }] });
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      await withWire('openai', { replies: [reply] }, async ({ provider }) => {
        const { message } = await endOf(provider.stream(request({ stream: false })));
        expect(message.content.map((part) => (part.type === 'text' ? part.text : part.type))).toEqual([
          'Let me look.',
          'tool-call',
          'tool-call',
        ]);
      });
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      expect(await callsIn('openai', reply)).toEqual(found);
    }
  });

  const partsOf = async (message: object): Promise<readonly unknown[]> => {
    const reply = json({ choices: [{ index: 0, message, finish_reason: 'tool_use' }] });
    const read: unknown[] = [];
    await withWire('openai', { replies: [reply], strict: false }, async ({ provider }) => {
      const { content } = (await endOf(provider.stream(request({ stream: false, tools: [echo] })))).message;
      read.push(
        ...content.map((part) => (part.type === 'text' ? part.text : part.type === 'tool-call' ? part.id : part.type)),
      );
    });
    return read;
  };

  test('lose no call and no text where the content and the list of calls have some of them too', async () => {
    verifies('providers.calls.types');
    const more = { type: 'text', text: ' And more.' };
    const [first, second] = uses.map((tool_use) => ({ type: 'tool_use', tool_use }));
    expect(await partsOf({ content: 'Let me look.', content_list: [text, more, first] })).toEqual([
      'Let me look. And more.',
      'c1',
    ]);
    expect(await partsOf({ content: 'Well.', content_list: [text] })).toEqual(['Well.Let me look.']);
    expect(await partsOf({ content: [{ tool_use: uses[0] }] })).toEqual(['c1']);
    const ofVendor = { id: 'v1', type: 'search', search: { query: 'x' } };
    const ofList = { id: 'c1', type: 'function', function: { name: 'echo', arguments: '{"text":"c1"}' } };
    expect(await partsOf({ content_list: [first], tool_calls: [ofVendor] })).toEqual(
      expect.arrayContaining(['c1', 'opaque']),
    );
    expect(await partsOf({ content_list: [first, second], tool_calls: [ofList] })).toEqual(
      expect.arrayContaining(['c1', 'c2']),
    );
    expect(await partsOf({ content_list: [first], tool_calls: [ofList] })).toEqual(['c1']);
  });

  test.each(['in a list', 'in the delta itself'])('are streamed as parts %s', async (where) => {
    verifies('providers.calls.types');
    const isList = where === 'in a list';
    const part = (fields: object): object =>
      chunk({ type: 'tool_use', ...fields, ...(isList ? { content_list: [fields] } : {}) });
    const reply = events(
      chunk({ type: 'text', content: text.text, ...(isList ? { content_list: [text] } : {}) }),
      ...uses.flatMap(({ input, name, tool_use_id }) => {
        const whole = JSON.stringify(input);
        return [part({ tool_use_id, name }), part({ input: whole.slice(0, 4) }), part({ input: whole.slice(4) })];
      }),
      chunk({}, 'tool_use'),
      '[DONE]',
    );
    expect(await callsIn('openai', reply, undefined, true)).toEqual(found);
  });

  test('that list the same calls twice have each of them once', async () => {
    verifies('providers.calls.types');
    const tool_calls = uses.map(({ input, name, tool_use_id: id }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }));
    const message = { content_list: uses.map((tool_use) => ({ type: 'tool_use', tool_use })), tool_calls };
    const reply = json({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
    expect(await callsIn('openai', reply)).toEqual(found);
  });
});

describe('a tool of yours that is named like one of the vendor', () => {
  test.each(['shell', 'apply_patch', 'local_shell', 'mcp_approval'])(
    'and takes text is forced by its own form: %s',
    async (name) => {
      verifies('providers.calls.names');
      await withWire(
        'openai-responses',
        { replies: [{ text: 'ok' }], strict: false },
        async ({ provider, server }) => {
          const tools = [{ ...echo, name }];
          await endOf(provider.stream(request({ tools, toolChoice: { name } })));
          expect(server.requests[0]?.body).toMatchObject({ tool_choice: { type: 'custom', name } });
        },
        { serverTools: [customTool({ name })] },
      );
    },
  );

  test.each([
    ['shell', { type: 'shell_call', action: { commands: ['ls'], timeout_ms: null } }, { commands: ['ls'] }],
    ['apply_patch', { type: 'apply_patch_call', operation: { type: 'delete_file' } }, { type: 'delete_file' }],
    ['echo', { type: 'custom_tool_call', name: 'echo', input: 'a' }, { input: 'a' }],
  ])('is called by the item of that name: %s', async (name, item, input) => {
    verifies('providers.calls.names');
    const reply = json({ status: 'completed', output: [{ id: 'i1', call_id: 'c1', ...item }] });
    const found = await callsIn('openai-responses', reply, [{ ...echo, name }]);
    expect(found).toEqual({ finishReason: 'tool-calls', calls: [['c1', name, input]], kept: 0 });
  });

  test.each([
    ['anthropic', 'web_search'],
    ['anthropic', 'code_execution'],
    ['gemini', 'google_search'],
    ['gemini', 'code_execution'],
    ['bedrock', 'nova_grounding'],
    ['openai-responses', 'web_search'],
    ['openai', 'web_search'],
  ] as const)('is a call over %s: %s', async (wire, name) => {
    verifies('providers.calls.names');
    await withWire(wire, { replies: [{ calls: [{ name, arguments: '{}' }] }] }, async ({ provider }) => {
      const { message } = await endOf(provider.stream(request({ tools: [{ ...echo, name }] })));
      expect(toolCallsOf(message).map((call) => call.name)).toEqual([name]);
    });
  });
});

test('a call of a tool that takes text has the text as its input, over chat completions', async () => {
  verifies('providers.calls.unknown');
  const custom = (input: string, more: object = {}) => ({
    tool_calls: [{ index: 0, ...more, custom: { input, ...more } }],
  });
  const reply = events(
    chunk(custom('SEL', { id: 'c1', type: 'custom', name: 'echo' })),
    chunk(custom('ECT 1'), 'stop'),
    '[DONE]',
  );
  const found = await callsIn('openai', reply, [echo], true);
  expect(found).toEqual({ finishReason: 'tool-calls', calls: [['c1', 'echo', { input: 'SELECT 1' }]], kept: 0 });
});

test('the guide shows the types of every wire', () => {
  verifies('providers.calls.types');
  const guide = readFileSync(new URL('../../../../docs/guides/server-tools.md', import.meta.url), 'utf8');
  const rows = guide.split('\n').flatMap((line) => {
    const [, wire, calls, vendor] = /^\| `([a-z-]+)` +\| ((?:`\w+`(?:, )?)+) +\| (.*)\|$/.exec(line) ?? [];
    return wire === undefined ? [] : [[wire, namesIn(calls), namesIn(vendor)] as const];
  });
  const known = new Map(rows.map(([wire, calls, vendor]) => [wire, { calls, vendor }]));
  for (const [wire, { calls, vendor }] of Object.entries(TYPES)) expect(known.get(wire)).toEqual({ calls, vendor });
  for (const type of RESPONSES_CALLS.client) expect(guide).toContain(`\`${type}\``);
});

function namesIn(cell = ''): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => name ?? []);
}
