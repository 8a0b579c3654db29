import { type AssistantMessage, type Message, toolCallsOf } from '@kernel/protocol';
import { type RawReply, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { bash, codeExecution } from '../../src/anthropic/index.ts';
import { sentOver } from '../sent.ts';
import { endOf, request, sse } from '../support.ts';
import { withWire } from '../wires.ts';

const LATER = '2999-01-01T00:00:00.000Z';
const container = { id: 'container_1', expires_at: LATER };
const tools = { serverTools: [codeExecution()] };
const user = { role: 'user', content: 'Go on.' } as const;

const code = { type: 'server_tool_use', id: 's', name: 'code_execution', input: { code: 'x = 1' } };
const call = { type: 'tool_use', id: 't', name: 'roll', input: { n: 1 }, caller: { type: 'code_execution_20250825' } };
const delta = (fields: object) => ({ type: 'message_delta', delta: fields, usage: { output_tokens: 1 } });
const stop = { type: 'message_stop' };
const start = (message: object) => ({ type: 'message_start', message });
const streamed = (...events: readonly object[]): RawReply => ({ chunks: [sse(...events)] });
const block = (content_block: object) => [
  { type: 'content_block_start', index: 0, content_block },
  { type: 'content_block_stop', index: 0 },
];

async function read(reply: RawReply): Promise<AssistantMessage> {
  let message: AssistantMessage | undefined;
  await withWire('anthropic', { replies: [reply], strict: false }, async ({ provider }) => {
    ({ message } = await endOf(provider.stream(request())));
  });
  return message ?? { role: 'assistant', content: [] };
}

const after = (...received: readonly Message[]) => ({ messages: [user, ...received, user] });

function usedIn(used: object, vendor = 'anthropic'): AssistantMessage {
  const opaque = { type: 'opaque', kind: 'container', providerData: { ...used } } as const;
  return { role: 'assistant', content: [{ type: 'text', text: 'Ran.' }, opaque], provider: { vendor, model: 'm' } };
}

test.each<[string, RawReply]>([
  ['streamed', streamed(start({}), ...block(code), delta({ stop_reason: 'end_turn', container }), stop)],
  [
    'whole',
    {
      headers: { 'content-type': 'application/json' },
      chunks: [JSON.stringify({ type: 'message', content: [code], stop_reason: 'end_turn', container })],
    },
  ],
  ['that begins whole', streamed(start({ content: [call], stop_reason: 'tool_use', container }), stop)],
])('the container of a reply %s is that of the next request, and no content', async (_how, reply) => {
  verifies('providers.anthropic.container');
  const message = await read(reply);
  const results = toolCallsOf(message).map(
    ({ id, name }) => ({ role: 'tool', toolCallId: id, name, content: '1' }) as const,
  );
  const { body } = await sentOver('anthropic', { messages: [user, message, ...results] }, tools);
  expect(body['container']).toBe('container_1');
  const { messages } = body as unknown as { messages: readonly { content: readonly object[] }[] };
  expect(messages[1]?.content).toHaveLength(1);
});

test('the last container counts, and none that has expired or is of another vendor', async () => {
  verifies('providers.anthropic.container');
  const old = { id: 'container_0', expires_at: '2020-01-01T00:00:00Z' };
  const sent = async (...received: readonly Message[]) =>
    (await sentOver('anthropic', after(...received), tools)).body['container'];
  expect(await sent(usedIn(old), user, usedIn(container))).toBe('container_1');
  expect(await sent(usedIn(container), user, usedIn(old))).toBeUndefined();
  expect(await sent(usedIn(container, 'elsewhere'))).toBeUndefined();
  expect(await sent()).toBeUndefined();
  for (const wire of ['openai', 'openai-responses', 'gemini', 'bedrock'] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one server at a time
    const { body } = await sentOver(wire, after(usedIn(container)));
    expect(JSON.stringify(body)).not.toContain('container_1');
  }
  const { body } = await sentOver('anthropic', after(usedIn(container)));
  expect(body['container']).toBeUndefined();
});

test('a container that is configured stays, and gets the id of the last one beside its skills', async () => {
  verifies('providers.anthropic.container');
  const sent = async (given: unknown) =>
    (await sentOver('anthropic', { ...after(usedIn(container)), options: { container: given as string } }, tools)).body[
      'container'
    ];
  const skills = [{ type: 'anthropic', skill_id: 'pptx', version: 'latest' }];
  expect(await sent('container_2')).toBe('container_2');
  expect(await sent({ id: 'container_2' })).toEqual({ id: 'container_2' });
  expect(await sent({ skills })).toEqual({ skills, id: 'container_1' });
});

test('a call that code at the vendor makes is read where the reply begins whole', async () => {
  verifies('providers.anthropic.container');
  const { content } = await read(streamed(start({ content: [call], stop_reason: 'tool_use', container }), stop));
  expect(content[0]).toMatchObject({
    type: 'tool-call',
    id: 't',
    name: 'roll',
    arguments: '{"n":1}',
    providerData: { caller: { type: 'code_execution_20250825' } },
  });
});

test('a reply of nothing but a container is empty', async () => {
  verifies('providers.anthropic.container');
  expect((await read(streamed(start({}), delta({ stop_reason: 'end_turn', container }), stop))).content).toEqual([]);
});

test('blank text with citations goes back as it was received, other blank text does not', async () => {
  verifies('providers.citations');
  const citation = { type: 'web_search_result_location', url: 'https://a.test', title: 'A', cited_text: 'x' };
  const cited = { type: 'text', text: ' \n', citations: [citation] };
  const message = await read(
    streamed(
      start({}),
      ...block({ type: 'text', text: 'Is so.' }),
      ...block(cited),
      ...block({ type: 'text', text: '\n' }),
      delta({ stop_reason: 'end_turn' }),
      stop,
    ),
  );
  const { body } = await sentOver('anthropic', { ...after(message), cache: 'off' }, { serverTools: [bash()] });
  const { messages } = body as unknown as { messages: readonly { content: readonly object[] }[] };
  expect(messages[1]?.content).toEqual([{ type: 'text', text: 'Is so.' }, cited]);
});
