/* oxlint-disable no-await-in-loop -- turns come one after another */
import type { AssistantMessage, JsonValue, Message, ProviderRequest } from '@kernel/protocol';
import { verifies, type WireName } from '@kernel/testing';
import { expect, test } from 'vitest';
import { ADD, IMAGE } from '../history.ts';
import { endOf } from '../support.ts';
import { WIRES, withWire } from '../wires.ts';

const MODEL = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const TURNS = 20;

/** A search that the vendor ran, as its API answers it. Wires that are not listed have none. */
const SEARCHES: Partial<Record<WireName, readonly Readonly<Record<string, JsonValue>>[]>> = {
  'openai-responses': [
    { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search', query: 'q' } },
  ],
  anthropic: [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
  ],
  gemini: [{ executableCode: { language: 'PYTHON', code: '1' } }, { codeExecutionResult: { outcome: 'OUTCOME_OK' } }],
  bedrock: [
    { toolUse: { toolUseId: 's1', name: 'nova_grounding', input: {}, type: 'server_tool_use' } },
    { toolResult: { toolUseId: 's1', content: [{ text: 'found' }], type: 'nova_grounding_result' } },
  ],
};

/** The reply with a search before it. */
function withSearch(wire: WireName, message: AssistantMessage): AssistantMessage {
  const [call, result] = SEARCHES[wire] ?? [];
  const parts = [
    ...(call === undefined
      ? []
      : [{ type: 'server-tool-call', id: 's', name: 'search', arguments: '{}', providerData: call } as const]),
    ...(result === undefined
      ? []
      : [{ type: 'server-tool-result', callId: 's', name: 'search', text: 'found', providerData: result } as const]),
  ];
  return Object.freeze({ ...message, content: [...parts, ...message.content] });
}

/** What the user says: text, every third time with an image. */
function question(turn: number): Message {
  const content = turn % 3 === 0 ? [{ type: 'text', text: `Turn ${turn}: ä "€"` } as const, IMAGE] : `Turn ${turn}.`;
  return Object.freeze({ role: 'user', content });
}

/**
 * What a body begins with, up to the end of its last message: without the brackets that close the list and the body, and without the mark in
 * the last message, which moves to the last message of the next request.
 */
function prefixOf(body: string): string {
  const open = body.replace(/\]\}$/, '');
  expect(open).not.toBe(body);
  return withoutLastMark(open);
}

const MARK =
  /,(?:"cache_control":\{"type":"ephemeral"(?:,"ttl":"1h")?\}|\{"cachePoint":\{"type":"default"(?:,"ttl":"1h")?\}\})(?=\}?\]\}$)/;

function withoutLastMark(open: string): string {
  return open.replace(MARK, '');
}

async function bodiesOf(wire: WireName, more: Partial<ProviderRequest>): Promise<readonly string[]> {
  const bodies: string[] = [];
  const calls = (at: number) => (at % 2 === 0 ? [{ name: 'add', id: `call_${at}`, arguments: { x: at } }] : []);
  const replies = (_: unknown, at: number) => ({ reasoning: `Thought ${at}.`, text: `Reply ${at}.`, calls: calls(at) });
  await withWire(wire, { replies }, async ({ provider, server }) => {
    const tools = Object.freeze([ADD]);
    const messages: Message[] = [Object.freeze({ role: 'system', content: 'Be brief.' })];
    for (let turn = 0; turn < TURNS; turn += 1) {
      if (messages.at(-1)?.role !== 'tool') messages.push(question(turn));
      const end = await endOf(provider.stream({ model: MODEL, messages: [...messages], tools, ...more }));
      messages.push(withSearch(wire, end.message));
      for (const part of end.message.content) {
        if (part.type !== 'tool-call') continue;
        const content = [{ type: 'text', text: 'Sum' } as const, IMAGE];
        messages.push(Object.freeze({ role: 'tool', toolCallId: part.id, name: part.name, content }));
      }
    }
    for (const { bytes, problems } of server.requests) {
      expect(problems).toEqual([]);
      bodies.push(Buffer.from(bytes).toString('utf8'));
    }
  });
  return bodies;
}

test.each(
  WIRES.flatMap(([wire]) => [
    [wire, 'auto', {}] as const,
    [wire, 'off', { cache: 'off' }] as const,
    [wire, 'one hour', { cache: { ttl: '1h', key: 'k' } }] as const,
    [wire, 'whole replies', { stream: false }] as const,
  ]),
)(
  'over %s (%s), each request of a long conversation begins with the bytes of the one before it',
  async (wire, _, more) => {
    verifies('providers.cache.prefix');
    const bodies = await bodiesOf(wire, more);
    expect(bodies).toHaveLength(TURNS);
    for (const [at, body] of bodies.slice(1).entries()) {
      const prefix = prefixOf(bodies[at] ?? '');
      // Not the head alone: each holds all messages of the one before it.
      expect(prefix.length).toBeGreaterThan(at * 20);
      expect(body.slice(0, prefix.length)).toBe(prefix);
    }
    const searches = SEARCHES[wire] ?? [];
    for (const search of searches) expect(bodies.at(-1)).toContain(JSON.stringify(search));
    const marked = wire === 'anthropic' || wire === 'bedrock';
    expect(bodies.filter((body) => MARK.test(body.replace(/\]\}$/, '')))).toHaveLength(
      marked && _ !== 'off' ? TURNS : 0,
    );
  },
);

test('the mark of the previous end is where the request before it was marked, so that its prefix is found there', async () => {
  verifies('providers.cache.points');
  const points = ['tools', 'system', 'previous', 'messages'] as const;
  for (const wire of ['anthropic', 'bedrock'] as const) {
    const bodies = await bodiesOf(wire, { cache: { points } });
    for (const [at, body] of bodies.slice(2).entries()) {
      const before = bodies[at + 1] ?? '';
      // The last message of the one before it is there with its mark, and so is all before that, but for its own previous mark.
      const lastMessage = before.slice(before.lastIndexOf('{"role":"user"'), -2);
      expect(body).toContain(lastMessage);
    }
  }
});
