import type { Message } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createMemorySession, createSteering, runSession, type Session, type SessionEntry } from '../../src/index.ts';
import { type ClientEvent, resumeFrom, toResponse } from '../../src/web/index.ts';
import { user } from '../support.ts';
import { start, tools } from './runs.ts';

interface Frame {
  readonly id: number | undefined;
  readonly event: ClientEvent;
}

const framesOf = (text: string): Frame[] =>
  text
    .trimEnd()
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const id = /^id: (\d+)$/m.exec(frame)?.[1];
      const data = /^data: (.*)$/m.exec(frame)?.[1] ?? '';
      return { id: id === undefined ? undefined : Number(id), event: JSON.parse(data) as ClientEvent };
    });
const textOf = (frames: readonly Frame[]): string =>
  frames.map(({ event }) => (event.type === 'text-delta' ? event.text : '')).join('');

async function messagesOf(session: Session): Promise<readonly Message[]> {
  return (await session.entries()).flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
}
async function* nothing(): AsyncGenerator<never> {}

/** A conversation with an earlier answer, calls, a message from outside and a final answer. */
async function converse(): Promise<{ readonly session: Session; readonly frames: readonly Frame[] }> {
  const session = createMemorySession([
    { type: 'message', message: { role: 'system', content: 'SYSTEM' } },
    { type: 'message', message: user('Before') },
    { type: 'message', message: { role: 'assistant', content: [{ type: 'text', text: 'Earlier.' }] } },
  ]);
  const steering = createSteering();
  const provider = scriptedProvider([
    { text: 'First I look. ', pieces: 4, calls: [{ name: 'look' }, { name: 'fail' }] },
    () => {
      steering.steer('Faster!');
      steering.followUp('And then?');
      return { text: 'Then again. ', pieces: 3, calls: [{ name: 'look' }] };
    },
    { text: 'It is 3. ', pieces: 5 },
    { text: 'That is all.', pieces: 2 },
  ]);
  const events = runSession({ session, provider, model: 'm', messages: [user('Go')], tools: tools(), steering });
  return { session, frames: framesOf(await toResponse(events).text()) };
}
async function resume(session: Session, lastEventId: string | null | undefined): Promise<Frame[]> {
  return framesOf(await toResponse(nothing(), { resume: { session, lastEventId } }).text());
}

describe('ids', () => {
  test('are the number of messages that precede what an event belongs to', async () => {
    verifies('web.resume');
    const { session, frames } = await converse();
    const messages = await messagesOf(session);
    const ids = frames.map(({ id }) => id ?? -1);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(ids[0]).toBe(4);
    expect(ids.at(-1)).toBe(messages.length);
  });

  test('are absent where nobody could resume', async () => {
    const frames = framesOf(await toResponse(start([{ text: 'Hi' }])).text());
    expect(frames.every(({ id }) => id === undefined)).toBe(true);
  });
});

describe('a client that comes back', () => {
  test('has each message once and whole, wherever it was cut off', async () => {
    verifies('web.resume');
    const { session, frames } = await converse();
    const messages = await messagesOf(session);
    const assistant = (list: readonly Message[]): string =>
      list
        .flatMap((message) => (message.role === 'assistant' ? message.content : []))
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join('');
    expect(textOf(frames)).toBe(assistant(messages.slice(4)));
    for (let cut = 1; cut <= frames.length; cut += 1) {
      const seen = frames.slice(0, cut);
      const id = seen.at(-1)?.id ?? -1;
      const [first, ...replayed] = await resume(session, String(id));
      expect(first).toEqual({ id, event: { type: 'resume', from: id } });
      // What came with the last id is void, all before it is of whole messages.
      const kept = textOf(seen.filter((frame) => frame.id !== id));
      expect(kept).toBe(assistant(messages.slice(4, id)));
      const texts = replayed.map(({ event }) =>
        event.type === 'message' && event.message.role === 'assistant' ? event.message.text : '',
      );
      expect(kept + texts.join('')).toBe(textOf(frames));
      expect(replayed.map((frame) => frame.id)).toEqual(messages.slice(id).map((_, index) => id + index + 1));
    }
  });

  test('gets messages as a client may see them', async () => {
    const { session } = await converse();
    const events = (await resume(session, '0')).map(({ event }) => event);
    expect(JSON.stringify(events)).not.toContain('SYSTEM');
    expect(JSON.stringify(events)).not.toContain('SECRET-ERROR');
    expect(events.slice(0, 7)).toEqual([
      { type: 'resume', from: 0 },
      { type: 'message', message: { role: 'user', text: 'Before' } },
      { type: 'message', message: { role: 'assistant', text: 'Earlier.', calls: [] } },
      { type: 'message', message: { role: 'user', text: 'Go' } },
      {
        type: 'message',
        message: {
          role: 'assistant',
          text: 'First I look. ',
          calls: [
            { callId: expect.any(String), name: 'look' },
            { callId: expect.any(String), name: 'fail' },
          ],
        },
      },
      { type: 'message', message: { role: 'tool', name: 'look', callId: expect.any(String), status: 'done' } },
      {
        type: 'message',
        message: {
          role: 'tool',
          name: 'fail',
          callId: expect.any(String),
          status: 'failed',
          error: { code: 'TOOL_FAILED', message: 'The tool did not succeed.' },
        },
      },
    ]);
  });

  test('sees a result as it ended, and no message that nobody wrote', async () => {
    verifies('web.resume');
    const session = createMemorySession();
    const provider = scriptedProvider(
      [
        { calls: [{ name: 'remove' }, { name: 'unknown' }, { name: 'look' }] },
        { text: '{"city":1}' },
        { text: '{"city":"Oslo"}' },
      ],
      { structuredOutput: 'schema' },
    );
    const live = framesOf(
      await toResponse(
        runSession({
          session,
          provider,
          model: 'm',
          messages: [user('Go')],
          tools: tools(),
          approve: () => ({ decision: 'deny', reason: 'no' }),
          output: z.object({ city: z.string() }),
        }),
      ).text(),
    ).map(({ event }) => event);
    const replayed = (await resume(session, '1')).map(({ event }) => event);
    const ended = live.flatMap((event) =>
      event.type === 'tool-end' ? [[event.name, event.status, event.error?.code]] : [],
    );
    const results = replayed.flatMap((event) =>
      event.type === 'message' && event.message.role === 'tool' ? [event.message] : [],
    );
    expect(results.map(({ name, status, error }) => [name, status, error?.code])).toEqual(ended);
    expect(ended).toEqual([
      ['remove', 'denied', 'TOOL_DENIED'],
      ['unknown', 'failed', 'TOOL_NOT_FOUND'],
      ['look', 'done', undefined],
    ]);
    expect(live.filter(({ type }) => type === 'output-rejected')).toHaveLength(1);
    expect(replayed.filter(({ type }) => type === 'output-rejected')).toHaveLength(1);
    expect(JSON.stringify(replayed)).not.toMatch(/"role":"user"|rejected:/);
    // A position counts all messages, those that are not shown included.
    expect((await resume(session, String((await messagesOf(session)).length))).length).toBe(1);
  });

  test('sees nothing of what a log from elsewhere says of a result that is no word of ours', async () => {
    const message = { role: 'tool', toolCallId: 'c', name: 'look', content: 'x', isError: true } as const;
    const entry = { type: 'message', message, outcome: 'SECRET', code: 'SECRET' } as unknown as SessionEntry;
    const [, shown] = await resume(createMemorySession([entry]), '0');
    expect(shown?.event).toMatchObject({ message: { status: 'failed', error: { code: 'TOOL_FAILED' } } });
    expect(JSON.stringify(shown)).not.toContain('SECRET');
  });

  test.each([null, undefined, '', '-1', '1.5', 'abc', '1e3', ' 1', '9'.repeat(400), '999', '0x1', '१'])(
    'with the id %j gets what a new client gets',
    async (id) => {
      verifies('web.resume');
      const { session } = await converse();
      expect(await resume(session, id)).toEqual([]);
    },
  );

  test('goes on with the events of the run that follows', async () => {
    const { session, frames } = await converse();
    const request = new Request('http://127.0.0.1/', { headers: { 'Last-Event-ID': String(frames.at(-2)?.id) } });
    const next = runSession({
      session,
      provider: scriptedProvider([{ text: 'More.' }]),
      model: 'm',
      messages: [user('And?')],
    });
    const resumed = framesOf(await toResponse(next, { resume: resumeFrom(request, session) }).text());
    expect(resumed.map(({ event }) => event.type)).toEqual([
      'resume',
      'turn-start',
      'text-delta',
      'message-end',
      'turn-end',
      'run-end',
    ]);
    expect(resumed.at(-1)?.id).toBe((await messagesOf(session)).length);
  });

  test('a session that cannot be read becomes one error event, and starts no run', async () => {
    const session = { ...createMemorySession(), entries: () => Promise.reject(new Error('SECRET')) };
    const frames = await resume(session, '1');
    expect(frames).toEqual([
      { id: undefined, event: { type: 'error', code: 'PROVIDER_PROTOCOL', message: expect.any(String) } },
    ]);
  });
});
