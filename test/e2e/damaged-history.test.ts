/* oxlint-disable no-await-in-loop -- one history after another, on one connection */
import { collect, repairHistory, run } from '@kernel/agent';
import type { AssistantMessage, Message, ToolCall } from '@kernel/protocol';
import { verifies, type WireReply } from '@kernel/testing';
import { expect, test } from 'vitest';
import { setUpWire, WIRES } from './wires.ts';

const HISTORIES = 60;
const IMAGE = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' } as const;

const user = (content: string): Message => ({ role: 'user', content });
const call = (id: string, rest: Partial<ToolCall> = {}): ToolCall => ({
  type: 'tool-call',
  id,
  name: 'weather',
  arguments: '{"city":"Oslo"}',
  ...rest,
});
const says = (vendor: string, ...content: AssistantMessage['content']): Message => ({
  role: 'assistant',
  content,
  provider: { vendor, model: 'a-model' },
});
const result = (toolCallId: string, rest: object = {}): Message => ({
  role: 'tool',
  toolCallId,
  name: 'weather',
  content: 'sunny',
  ...rest,
});

const asks: WireReply = {
  reasoning: 'Hm.',
  text: 'Let me see.',
  calls: [
    { id: 'a', name: 'weather', arguments: { city: 'Lisbon' } },
    { id: 'b', name: 'weather', arguments: { city: 'Oslo' } },
  ],
};

/** A history of many turns: those that this vendor has just given, with its own data, then older ones of its and of another. */
function soundHistory(own: readonly Message[], vendor: string): readonly Message[] {
  return [
    { role: 'system', content: 'Be brief.' },
    ...own,
    { role: 'user', content: [{ type: 'text', text: 'Look.' }, IMAGE] },
    says(vendor, call('c'), call('d')),
    result('c', { content: [{ type: 'text', text: 'sunny' }, IMAGE] }),
    result('d', { content: 'no such city', isError: true }),
    says(vendor, { type: 'text', text: 'Sunny.' }),
    user('And there?'),
    says('another', { type: 'reasoning', text: 'Hm.', providerData: 'opaque' }, call('e'), call('f')),
    result('e'),
    result('f'),
    says('another', { type: 'text', text: 'Sunny too.' }),
  ];
}

/** Numbers below a bound, the same for the same seed (mulberry32). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What a crash, a merge, a hand or another program does to a stored history. */
const DAMAGES: readonly ((messages: Message[], at: number, next: (below: number) => number) => void)[] = [
  (messages, at) => messages.splice(at, 1),
  (messages, at) => messages.splice(at),
  (messages, at) => messages.splice(0, at),
  (messages, at, next) => messages.splice(at, 0, messages[next(messages.length)] ?? user('Again.')),
  (messages, at, next) => messages.splice(next(messages.length), 0, ...messages.splice(at, 1 + next(3))),
  (messages) => messages.splice(0, messages.length, ...messages.toReversed()),
  (messages) => messages.push(...messages),
  (messages, at, next) => messages.splice(at, 0, result(['', 'a', 'e', 'never'][next(4)] ?? '')),
  (messages, at, next) => messages.splice(at, 0, says('another', call(['', 'a', 'new'][next(3)] ?? ''), call('new'))),
  (messages, at) => messages.splice(at, 0, says('another')),
  (messages, at) => messages.splice(at, 0, { role: 'system', content: 'Be kind.' }),
  (messages, at) => messages.splice(at, 0, says('another', { type: 'text', text: '' })),
  (messages, at) => messages.splice(at, 0, says('another', { type: 'reasoning', text: 'Hm.', providerData: [1] })),
  (messages, at) => messages.splice(at, 0, user('')),
  (messages, at, next) =>
    spoilCall(messages, at, ['', '{"city":', 'null', '[1]', '"text"'][next(5)] ?? '', 'arguments'),
  (messages, at, next) =>
    spoilCall(messages, at, ['', 'No such tool!', '1.2-3', 'x'.repeat(99)][next(4)] ?? '', 'name'),
  (messages, at, next) => spoilCall(messages, at, ['', 'a', 'id with spaces', 'x'.repeat(99)][next(4)] ?? '', 'id'),
  (messages, at) => {
    const message = messages[at];
    if (message?.role === 'assistant') messages[at] = { ...message, provider: { vendor: 'gone', model: 'm' } };
  },
];

function spoilCall(messages: Message[], at: number, value: string, field: 'arguments' | 'name' | 'id'): void {
  const message = messages[at];
  if (message?.role !== 'assistant') return;
  const content = message.content.map((part) => (part.type === 'tool-call' ? { ...part, [field]: value } : part));
  messages[at] = { ...message, content };
}

function damage(sound: readonly Message[], seed: number): Message[] {
  const next = seeded(seed);
  const messages = [...sound];
  for (let left = 1 + next(6); left > 0; left -= 1) {
    DAMAGES[next(DAMAGES.length)]?.(messages, next(messages.length + 1), next);
  }
  return messages;
}

test.each(WIRES)(
  `the wire %s takes ${HISTORIES} histories damaged at random after repair: the strict checks of its server pass`,
  async (...wire) => {
    verifies('agent.loop.history.repair');
    const { options, server } = await setUpWire(wire, (_request, at) => (at === 0 ? asks : { text: 'Still here.' }));
    const vendor = wire[0];
    const own = (await collect(run({ ...options, messages: [user('Weather?')] }))).messages;
    const sound = soundHistory(own, vendor);
    expect(repairHistory(sound)).toBe(sound);
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const damaged = damage(sound, seed);
      // Repaired and then gone on with, and gone on with and then repaired.
      const histories = [
        [...repairHistory(damaged, { vendor }), user('And now?')],
        repairHistory([...damaged, user('And now?')]),
      ];
      for (const messages of histories) {
        const answer = await collect(run({ ...options, messages }));
        const what = answer.reason === 'error' ? `${answer.error.code}: ${answer.error.message}` : answer.reason;
        expect(`seed ${seed}: ${what}`).toBe(`seed ${seed}: done`);
        expect(server.requests.at(-1)?.problems, `seed ${seed}`).toEqual([]);
      }
    }
    expect(server.requests.length).toBeGreaterThanOrEqual(2 * HISTORIES);
  },
);
