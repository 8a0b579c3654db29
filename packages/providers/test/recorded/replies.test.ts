import { type FinishReason, type JsonValue, KernelError, type MessageEnd, textOf, toolCallsOf } from '@kernel/protocol';
import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REFUSED, TRANSCRIPTS } from './exceptions.ts';
import { providerOf, read, readEvents, sentBody } from './exchange.ts';
import { expectedOf } from './expected.ts';
import { OTHER_WIRE, REPLIES, type RecordedFile, recordedFiles, valuesOf } from './files.ts';

/** Replies with the result of a call that an earlier reply made. */
const CALLED_BEFORE = new Set([
  'anthropic/anthropic-programmatic-tool-calling.1.chunks.txt (15)',
  'anthropic/anthropic-tool-search-deferred-bm25.chunks.txt (2)',
  'anthropic/anthropic-tool-search-deferred-regex.chunks.txt (2)',
  'anthropic/anthropic-tool-search-deferred-bm25.2.json',
  'anthropic/anthropic-tool-search-deferred-regex.2.json',
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

if (files.length > 0) readAll(files);

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
      // The container goes back in a field of the request.
      const own = vendorParts(message.content).filter(({ kind }) => kind !== 'container');
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
