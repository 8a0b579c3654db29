import { type AssistantMessage, type Message, type ProviderEvent, textOf } from '@kernel/protocol';
import { messageSchema, providerEventSchema } from '@kernel/protocol/schemas';
import { type RawReply, verifies, type WireName } from '@kernel/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createBase64Joiner } from '../../src/openai/reply/audio.ts';
import { sentOver } from '../sent.ts';
import { all, chunk, endOf, errorOf, request, sse, withServer } from '../support.ts';
import { WIRES } from '../wires.ts';

afterEach(() => void vi.useRealTimers());

const BYTES = Uint8Array.from({ length: 50 }, (_, at) => (at * 37) % 256);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const WHOLE = base64(BYTES);
const options = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } };
const LATER = 4_000_000_000;

/** A stream with these pieces of audio, each beside a piece of what is said. */
function spoken(pieces: readonly string[]): RawReply {
  const deltas = pieces.map((data, at) => chunk({ audio: at % 2 === 0 ? { data, transcript: `${at} ` } : { data } }));
  const first = chunk({ role: 'assistant', content: null, audio: { id: 'audio_1', transcript: '' } });
  return { chunks: [sse(first, ...deltas, chunk({ audio: { expires_at: LATER } }), chunk({}, 'stop'), '[DONE]')] };
}

async function eventsOf(reply: RawReply): Promise<readonly ProviderEvent[]> {
  let events: readonly ProviderEvent[] = [];
  await withServer([reply], async ({ provider, server }) => {
    events = await all(provider.stream(request({ options })));
    expect(server.requests[0]?.body).toMatchObject(options);
  });
  return events;
}

function messageOf(events: readonly ProviderEvent[]): AssistantMessage {
  const end = events.at(-1);
  if (end?.type !== 'message-end') throw new Error('The last event is no message-end.');
  return end.message;
}

const runsOf = (size: number) =>
  Array.from({ length: Math.ceil(50 / size) }, (_, at) => base64(BYTES.subarray(at * size, (at + 1) * size)));
const piecesOf = (size: number) => WHOLE.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];

describe('what a model speaks', () => {
  test.each([
    ['runs of 3 bytes', runsOf(3)],
    ['runs of 7 bytes, each with its padding', runsOf(7)],
    ['runs of 1 byte', runsOf(1)],
    ['one run cut after each character', piecesOf(1)],
    ['one run cut after 5 characters', piecesOf(5)],
    ['one run', [WHOLE]],
    ['one run without padding', [WHOLE.replaceAll('=', '')]],
    ['URL-safe runs', runsOf(7).map((run) => run.replaceAll('+', '-').replaceAll('/', '_'))],
  ])('is one part with its transcript, from %s', async (_, pieces) => {
    verifies('providers.audio');
    const events = await eventsOf(spoken(pieces));
    const heard = events.flatMap((event) =>
      event.type === 'audio-delta' ? [...Buffer.from(event.data, 'base64')] : [],
    );
    expect(heard).toEqual([...BYTES]);
    const transcript = pieces.map((_piece, at) => (at % 2 === 0 ? `${at} ` : '')).join('');
    const message = messageOf(events);
    expect(message.content).toEqual([
      {
        type: 'audio',
        mimeType: 'audio/pcm',
        data: WHOLE,
        transcript,
        providerData: { id: 'audio_1', expiresAt: LATER },
      },
    ]);
    expect(textOf(message)).toBe(transcript);
    expect(events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe(transcript);
    expect(messageSchema.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
    for (const event of events) expect(providerEventSchema.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  test('is read from a reply in one piece, beside a text', async () => {
    verifies('providers.audio');
    const audio = { id: 'audio_2', data: WHOLE, transcript: 'Hello ä', expires_at: LATER };
    const choice = { index: 0, message: { role: 'assistant', content: 'Text.', audio }, finish_reason: 'stop' };
    const body = JSON.stringify({ object: 'chat.completion', model: 'm', choices: [choice] });
    const reply = { headers: { 'content-type': 'application/json' }, chunks: [body] };
    await withServer([reply], async ({ provider }) => {
      const wav = { ...options, audio: { voice: { id: 'v' }, format: 'wav' } };
      const { message } = await endOf(provider.stream(request({ stream: false, options: wav })));
      expect(message.content.map((part) => part.type)).toEqual(['text', 'audio']);
      expect(message.content[1]).toMatchObject({ mimeType: 'audio/wav', data: WHOLE });
    });
  });

  test.each([
    ['a character that base64 does not have', ['AAAA', 'AA*A']],
    ['padding within a group', ['AA=A']],
    ['too much padding', ['A===']],
    ['half a byte at the end', ['AAAAA']],
    ['padding alone', ['AAAA', '====']],
  ])('is a typed error with %s', async (_, pieces) => {
    verifies('providers.audio.failure');
    await withServer([spoken(pieces)], async ({ provider }) => {
      const error = await errorOf(provider.stream(request({ options })));
      expect([error.code, error.message.includes('base64')]).toEqual(['PROVIDER_PROTOCOL', true]);
      expect(error.data?.['partialText']).toContain('0 ');
    });
  });

  test('that is larger than the limit of a response is a typed error', async () => {
    verifies('providers.audio.failure');
    const work = async ({ provider }: Parameters<Parameters<typeof withServer>[1]>[0]): Promise<void> => {
      const error = await errorOf(provider.stream(request({ options })));
      expect(error.data?.['option']).toBe('limits.responseBytes');
    };
    await withServer([spoken(Array(2000).fill(WHOLE))], work, { limits: { responseBytes: 50_000 } });
  });

  test('is joined in linear time, and waits for at most three characters', () => {
    verifies('providers.audio');
    const joiner = createBase64Joiner();
    const added = Array.from({ length: 200_000 }, () => joiner.add('QQ=='));
    expect(new Set(added)).toEqual(new Set(['QQ==']));
    expect(Buffer.from(joiner.joined(), 'base64').length).toBe(200_000);
    expect(joiner.add('A'.repeat(3))).toBe('');
    expect(joiner.end()).toBe('AAA=');
  });
});

const said: Message = Object.freeze({
  role: 'assistant',
  provider: { vendor: 'openai', model: 'gpt-audio' },
  content: [
    {
      type: 'audio',
      mimeType: 'audio/pcm',
      data: WHOLE,
      transcript: 'Hello.',
      providerData: { id: 'audio_1', expiresAt: LATER },
    },
  ],
} as const);
const user = { role: 'user', content: 'Hi' } as const;
const history: readonly Message[] = [user, said, user];

describe('a recording in the history', () => {
  test('is named by its id to its vendor while it is there, and its words are sent afterwards', async () => {
    verifies('providers.audio.history');
    vi.useFakeTimers({ toFake: ['Date'] });
    const replies = Array.from({ length: 3 }, () => ({ text: 'ok' }));
    await withServer(replies, async ({ provider, server }) => {
      const sent = async (seconds: number): Promise<unknown> => {
        vi.setSystemTime(seconds * 1000);
        await endOf(provider.stream(request({ messages: history })));
        const body = server.requests.at(-1)?.body as { messages: readonly unknown[] } | undefined;
        return body?.messages[1];
      };
      expect(await sent(LATER - 600)).toEqual({ role: 'assistant', content: null, audio: { id: 'audio_1' } });
      expect(await sent(LATER - 500)).toEqual({ role: 'assistant', content: null, audio: { id: 'audio_1' } });
      // The same messages from the same provider: nothing that was encoded before may remain.
      expect(await sent(LATER + 1)).toEqual({ role: 'assistant', content: 'Hello.' });
    });
  });

  test.each(WIRES.map(([name]) => name).filter((name) => name !== 'openai'))(
    'is its words for %s, without the sound and its name',
    async (wire: WireName) => {
      verifies('providers.audio.history');
      const { body } = await sentOver(wire, { messages: history });
      const text = JSON.stringify(body);
      expect([text.includes('Hello.'), text.includes('audio_1'), text.includes(WHOLE)]).toEqual([true, false, false]);
    },
  );

  test('goes beside the text and the calls of its message', async () => {
    verifies('providers.audio.history');
    const call = { type: 'tool-call', id: 'c', name: 'add', arguments: '{}' } as const;
    const both = { ...said, content: [{ type: 'text', text: 'So: ' } as const, ...said.content, call] } as Message;
    const result = { role: 'tool', toolCallId: 'c', name: 'add', content: '1' } as const;
    const { body } = await sentOver('openai', { messages: [user, both, result] });
    expect((body['messages'] as readonly object[])[1]).toMatchObject({ content: 'So: ', audio: { id: 'audio_1' } });
  });

  test('that has neither words nor a name is a note', async () => {
    verifies('providers.audio.history');
    const content = [{ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }] as const;
    const { body } = await sentOver('openai', { messages: [user, { role: 'assistant', content }, user] });
    expect(JSON.stringify(body)).toContain('[audio (audio/wav), left out');
  });
});
