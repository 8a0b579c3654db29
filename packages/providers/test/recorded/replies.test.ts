import {
  type FinishReason,
  type JsonValue,
  KernelError,
  type MessageEnd,
  type Provider,
  type ProviderEvent,
  textOf,
  toolCallsOf,
} from '@kernel/protocol';
import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProviders } from '../../src/index.ts';
import { all } from '../support.ts';
import { expectedOf } from './expected.ts';
import { REPLIES, type RecordedFile, type RecordedWire, recordedFiles, replyOf, valuesOf } from './files.ts';

/** Replies that are refused, and why: the status that a server sends them with, and what the error says. */
const REFUSED: ReadonlyMap<string, { readonly status?: number; readonly error: object }> = new Map([
  [
    // The body of an error, with the wait that it asks for.
    'google/google-429-retry-info.json',
    { status: 429, error: { code: 'PROVIDER_HTTP', retryable: true, data: { status: 429, retryAfterMs: 34_400 } } },
  ],
  [
    // The body of an error.
    'openai-responses/openai-error.1.json',
    { status: 429, error: { code: 'PROVIDER_HTTP', data: { status: 429, vendorCode: 'insufficient_quota' } } },
  ],
  [
    // An error in the middle of a stream.
    'openai-responses/openai-error.1.chunks.txt',
    { error: { code: 'PROVIDER_PROTOCOL', data: { vendorCode: 'insufficient_quota' } } },
  ],
  [
    // The body of an error.
    'openai-responses/reasoning-model-temperature-error.json',
    { status: 400, error: { code: 'PROVIDER_HTTP', retryable: false, data: { status: 400 } } },
  ],
  [
    // The body of an error.
    'openai-chat/reasoning-model-legacy-parameter-error.json',
    { status: 400, error: { code: 'PROVIDER_HTTP', retryable: false, data: { vendorCode: 'unsupported_parameter' } } },
  ],
  [
    // Its last line has quotes that are not escaped.
    'openai-responses/parallel-tool-call-wrapper.1.chunks.txt',
    { error: { code: 'PROVIDER_PROTOCOL', message: expect.stringContaining('not valid JSON') } },
  ],
]);

/** Replies in a folder of another wire than their own. */
const OTHER_WIRE: ReadonlyMap<string, RecordedWire> = new Map([
  ['azure/azure-deepseek-reasoning.1.chunks.txt', 'openai'],
  ['azure/azure-deepseek-reasoning.1.json', 'openai'],
]);

/** Replies with the result of a call that an earlier reply made. */
const CALLED_BEFORE = new Set([
  'anthropic/anthropic-tool-search-deferred-bm25.2.json',
  'anthropic/anthropic-tool-search-deferred-regex.2.json',
]);

/** Transcriptions: they are served to `transcribe`. */
const TRANSCRIPTS: ReadonlyMap<string, string> = new Map([
  ['groq/groq-transcription-text.json', 'Hello from the Versal AISDK.'],
  ['mistral/mistral-transcription.json', 'Galileo was an American robotic space program'],
]);

/** Why a reply without calls ended, by the vendors' words for it. */
const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  STOP: 'stop',
  end_turn: 'stop',
  completed: 'stop',
  length: 'length',
  refusal: 'refusal',
  // A gateway says so although there are none.
  tool_calls: 'other',
  tool_use: 'other',
};
const files = recordedFiles();

test('the recorded replies are read', REPLIES.options, () => {
  expect(files.length).toBeGreaterThan(0);
});

if (files.length > 0) readAll(files.map((file) => ({ ...file, wire: OTHER_WIRE.get(file.path) ?? file.wire })));

function readAll(recorded: readonly RecordedFile[]): void {
  let server: WireServer;
  beforeAll(async () => {
    server = await startWireServer({ strict: false });
  });
  afterAll(() => server.close());

  const replies = recorded.filter(({ path }) => !REFUSED.has(path) && !TRANSCRIPTS.has(path));

  describe.each(replies)('the recorded reply $path', (file) => {
    const values = valuesOf(file);

    test('is read right: text, calls, parts of the vendor and usage', async () => {
      verifies('providers.replies.recorded');
      const end = await read(server, file);
      const expected = expectedOf(file.wire, values);
      const { content } = end.message;
      expect(textOf(end.message)).toBe(expected.text);
      expect(vendorParts(content).map(({ kind }) => kind)).toEqual(expected.opaque);
      const calls = toolCallsOf(end.message);
      expect(calls.map(({ arguments: text, name }) => [name, JSON.parse(text) as unknown])).toEqual(
        expected.calls.map(({ arguments: text, name }) => [name, JSON.parse(text === '' ? '{}' : text) as unknown]),
      );
      expect(calls.map(({ id }, at) => expected.calls[at]?.id ?? id)).toEqual(calls.map(({ id }) => id));
      expect(end.finishReason).toBe(calls.length > 0 ? 'tool-calls' : FINISH[String(expected.reason)]);
      const { inputTokens = 0, outputTokens = 0 } = end.usage ?? {};
      expect(inputTokens + outputTokens).toBe(expected.tokens ?? inputTokens + outputTokens);
    });

    test('names what the vendor ran, in order: each result follows its call', async () => {
      verifies('providers.serverTools.parts');
      const { events, end } = await readEvents(server, file);
      const parts = end.message.content.filter((part) => part.type.startsWith('server-tool-'));
      // Events come as tools end, which may be another order; a reply that began anew has what came after.
      const ran = events.filter((event) => event.type.startsWith('server-tool-')).slice(-parts.length || Infinity);
      expect(ran.map((event) => JSON.stringify(event)).toSorted()).toEqual(
        parts.map((part) => JSON.stringify(part)).toSorted(),
      );
      const called = parts.flatMap((part) => (part.type === 'server-tool-call' ? [part] : []));
      expect(called.map(({ arguments: text }) => typeof JSON.parse(text))).toEqual(called.map(() => 'object'));
      const orphans = parts.filter(
        (part, at) =>
          part.type === 'server-tool-result' &&
          !parts.slice(0, at).some((before) => before.type === 'server-tool-call' && before.id === part.callId),
      );
      expect(orphans).toHaveLength(CALLED_BEFORE.has(file.path) ? 1 : 0);
    });

    test('goes back to its own vendor with the parts of its own unchanged, and to no other', async () => {
      verifies('providers.replies.opaque');
      const { message } = await read(server, file);
      const own = vendorParts(message.content);
      for (const wire of ['openai', 'openai-responses', 'anthropic', 'gemini', 'bedrock'] as const) {
        const body = await sentBody(server, wire, message);
        for (const { providerData } of own) {
          expect(body.includes(JSON.stringify(providerData))).toBe(wire === file.wire);
        }
      }
    });
  });

  test.each(recorded.filter(({ path }) => REFUSED.has(path)))('$path is refused for a stated reason', async (file) => {
    verifies('providers.replies.recorded');
    const { error, status } = REFUSED.get(file.path) ?? {};
    const thrown: unknown = await read(server, file, status).catch((reason: unknown) => reason);
    expect(KernelError.is(thrown)).toBe(true);
    expect(thrown).toMatchObject(error ?? {});
  });

  test.each(recorded.filter(({ path }) => TRANSCRIPTS.has(path)))('$path is read as a transcript', async (file) => {
    verifies('providers.replies.recorded');
    const { body, headers } = JSON.parse(file.text) as { body?: string; headers?: Record<string, string> };
    server.enqueue({ headers: headers ?? { 'content-type': 'application/json' }, chunks: [body ?? file.text] });
    const audio = { name: 'a.wav', mimeType: 'audio/wav', data: new Uint8Array([1]) };
    const transcript = await providerOf(server, 'openai').transcribe?.({ model: 'm', audio });
    expect(transcript?.text).toContain(TRANSCRIPTS.get(file.path));
  });

  test('every entry of the tables of exceptions is a recorded file', () => {
    const paths = new Set(recorded.map(({ path }) => path));
    const known = [...REFUSED.keys(), ...TRANSCRIPTS.keys(), ...OTHER_WIRE.keys()];
    expect(known.filter((path) => !paths.has(path))).toEqual([]);
  });
}

function providerOf(server: WireServer, wire: RecordedWire): Provider {
  const baseUrl = wire.startsWith('openai') ? server.baseUrl : server.url;
  return createProviders().create({ name: wire, baseUrl, token: 'test' });
}

/** The parts that go back as they were received, and their vendor's names for them. */
function vendorParts(content: MessageEnd['message']['content']): readonly { kind: string; providerData: JsonValue }[] {
  return content.flatMap((part) => {
    if (part.type === 'opaque') return [part];
    if (!part.type.startsWith('server-tool-') || !('providerData' in part) || part.providerData === undefined)
      return [];
    const { providerData } = part;
    const { type } = providerData as { readonly type?: string };
    const [key = ''] = Object.keys(providerData as object);
    return [{ kind: type ?? key, providerData }];
  });
}

async function read(server: WireServer, file: RecordedFile, status?: number): Promise<MessageEnd> {
  return (await readEvents(server, file, status)).end;
}

async function readEvents(
  server: WireServer,
  file: RecordedFile,
  status?: number,
): Promise<{ readonly events: readonly ProviderEvent[]; readonly end: MessageEnd }> {
  server.enqueue(replyOf(file, status));
  const messages = [{ role: 'user', content: 'Go on.' }] as const;
  const events = await all(
    providerOf(server, file.wire).stream({ model: 'test-model', messages, stream: file.streams }),
  );
  const end = events.at(-1);
  if (end?.type !== 'message-end') throw new Error('The last event is no message-end.');
  const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
  expect(deltas.join('')).toBe(textOf(end.message));
  return { events, end };
}

/** The body of a request whose history has this message. */
async function sentBody(server: WireServer, wire: RecordedWire, message: MessageEnd['message']): Promise<string> {
  server.enqueue({ status: 400, chunks: ['{}'] });
  const user = { role: 'user', content: 'Go on.' } as const;
  const results = toolCallsOf(message).map(
    ({ id, name }) => ({ role: 'tool', toolCallId: id, name, content: 'ok' }) as const,
  );
  const messages = [user, message, ...results, user];
  await all(providerOf(server, wire).stream({ model: 'test-model', messages })).catch(() => undefined);
  return Buffer.from(server.requests.at(-1)?.bytes ?? []).toString('utf8');
}
