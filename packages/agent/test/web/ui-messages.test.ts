import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai';
import { describe, expect, test } from 'vitest';
import {
  type ClientField,
  decisionsFromUiMessages,
  toUiMessageStream,
  toUiMessageStreamResponse,
} from '../../src/web/index.ts';
import { collect, createMemorySession, runSession } from '../../src/index.ts';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { user } from '../support.ts';
import { ALL, runOf, SECRETS, SHOWN_RUNS, start, tools } from './runs.ts';

async function chunksOf(name: string, show: readonly ClientField[]): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of toUiMessageStream(runOf(name), { show })) chunks.push(chunk);
  return chunks;
}

/** The last state of the message, as the reader of the AI SDK has it. Throws for every chunk that it takes for a mistake. */
async function readMessage(
  chunks: readonly UIMessageChunk[],
  message?: UIMessage,
): Promise<{ message: UIMessage | undefined; errors: string[] }> {
  const errors: string[] = [];
  let last: UIMessage | undefined = message;
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const onError = (error: unknown): void =>
    void errors.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  for await (const state of readUIMessageStream({ stream, onError, ...(message && { message }) })) last = state;
  return { message: last, errors };
}

const partsOf = async (name: string, show: readonly ClientField[] = ALL) => {
  const { message } = await readMessage(await chunksOf(name, show));
  return message?.parts ?? [];
};

describe('the UI message stream', () => {
  test.each(SHOWN_RUNS)('of %s, showing %s, passes the schema and the reader of the AI SDK', async (name, _, show) => {
    verifies('web.uiMessages');
    const chunks = await chunksOf(name, show);
    const { validate } = uiMessageChunkSchema();
    for (const chunk of chunks) expect(await validate?.(chunk)).toMatchObject({ success: true });
    expect(chunks[0]?.type).toBe('start');
    const { message, errors } = await readMessage(chunks);
    const isFailure = chunks.some(({ type }) => type === 'error');
    expect(errors.filter((error) => !isFailure || !error.startsWith('Error:'))).toEqual([]);
    // Nothing is left open at the end, whatever the end was.
    const open = (message?.parts ?? []).filter((part) => 'state' in part && /streaming/.test(part.state ?? ''));
    expect(open).toEqual([]);
    for (const secret of show.length === 0 ? SECRETS : []) expect(JSON.stringify(chunks)).not.toContain(secret);
  });

  test('calls with repeated ids are three parts, each with its own input', async () => {
    const calls = (await partsOf('repeated call ids')).filter(({ type }) => type === 'tool-look');
    expect(calls).toMatchObject(
      ['1', '2', '3'].map((a) => ({ state: 'output-available', input: { a }, output: { at: 3 } })),
    );
  });

  test('has text and reasoning in parts of their own, and steps', async () => {
    const parts = await partsOf('reasoning and text');
    expect(parts.map(({ type }) => type)).toEqual(['step-start', 'reasoning', 'text']);
    expect(parts[1]).toMatchObject({ text: 'Let me see.', state: 'done' });
    expect(parts[2]).toMatchObject({ text: 'It is 3.', state: 'done' });
  });

  test('has each call with its input and output', async () => {
    const calls = (await partsOf('parallel calls')).filter(({ type }) => type === 'tool-look');
    expect(calls).toMatchObject([
      { state: 'output-available', input: { a: 1 }, output: { at: 3 } },
      { state: 'output-available', input: { a: 2 }, output: { at: 3 } },
    ]);
    const hidden = (await partsOf('parallel calls', [])).filter(({ type }) => type === 'tool-look');
    expect(hidden).toMatchObject([
      { state: 'output-available', input: {}, output: null },
      { state: 'output-available', input: {}, output: null },
    ]);
  });

  test('has what the vendor ran, and its sources', async () => {
    verifies('web.uiMessages');
    const parts = await partsOf('a search that the vendor ran');
    expect(parts).toMatchObject([
      { type: 'step-start' },
      {
        type: 'tool-web_search',
        state: 'output-available',
        input: { query: 'x' },
        output: 'A',
        providerExecuted: true,
      },
      { type: 'tool-web_search', state: 'output-error', errorText: 'A', providerExecuted: true },
      { type: 'text', text: 'It is 3.' },
      { type: 'source-url', url: 'https://a.test', title: 'A' },
    ]);
    const hidden = await partsOf('a search that the vendor ran', []);
    expect(JSON.stringify(hidden)).not.toMatch(/a\.test|query/);
  });

  test('says which calls failed, were cut off or denied', async () => {
    expect(await partsOf('a failing tool', [])).toContainEqual(
      expect.objectContaining({ type: 'tool-fail', state: 'output-error', errorText: 'The tool did not succeed.' }),
    );
    expect(await partsOf('a failing tool', ['errors'])).toContainEqual(
      expect.objectContaining({ type: 'tool-fail', state: 'output-error', errorText: 'SECRET-ERROR' }),
    );
    expect(await partsOf('a cut reply')).toContainEqual(
      expect.objectContaining({ type: 'tool-look', state: 'output-error' }),
    );
    expect(await partsOf('a denied call')).toContainEqual(
      expect.objectContaining({ type: 'tool-remove', state: 'output-denied' }),
    );
  });

  test('resets the step of a withdrawn reply', async () => {
    expect(await partsOf('a withdrawn reply')).toEqual([
      { type: 'step-start' },
      expect.objectContaining({ type: 'text', text: 'It is 3.' }),
    ]);
  });

  test('has the typed answer as one part that grows', async () => {
    const parts = (await partsOf('typed output')).filter(({ type }) => type === 'data-output');
    expect(parts).toMatchObject([{ data: { city: 'Oslo', degrees: 3 } }]);
  });

  test.each([
    ['text', 'finish', { finishReason: 'stop' }],
    ['a cut reply', 'finish', { finishReason: 'length' }],
    ['an approval', 'finish', { finishReason: 'tool-calls' }],
    ['a provider error', 'finish', { finishReason: 'error' }],
    ['a limit', 'finish', { finishReason: 'other' }],
    ['an abort', 'abort', {}],
  ])('of %s ends with "%s"', async (name, type, rest) => {
    expect((await chunksOf(name, [])).at(-1)).toEqual({ type, ...rest });
  });

  test('a response has the header of the protocol and ends with [DONE]', async () => {
    const response = toUiMessageStreamResponse(start([{ text: 'Hi' }]), { headers: { 'x-mine': '1' } });
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-mine')).toBe('1');
    expect(await response.text()).toMatch(/^data: \{"type":"start"\}\n\n[\s\S]*\n\ndata: \[DONE\]\n\n$/);
  });
});

describe('approvals in useChat', () => {
  async function ask() {
    const session = createMemorySession();
    const toolset = tools();
    const provider = scriptedProvider([
      { calls: [{ name: 'look' }, { name: 'remove', arguments: { path: 'a' } }] },
      { text: 'Removed.' },
    ]);
    const first = runSession({
      session,
      provider,
      model: 'm',
      messages: [user('Go')],
      tools: toolset,
      approve: decisionsFromUiMessages([]),
    });
    const chunks: UIMessageChunk[] = [];
    for await (const chunk of toUiMessageStream(first, { show: ALL })) chunks.push(chunk);
    const { message } = await readMessage(chunks);
    const goOn = (messages: unknown) =>
      runSession({ session, provider, model: 'm', tools: toolset, approve: decisionsFromUiMessages(messages) });
    return { message: message as UIMessage, goOn };
  }
  /** What `addToolApprovalResponse` of `useChat` makes of a message. */
  const respond = (message: UIMessage, approved: boolean): UIMessage => ({
    ...message,
    parts: message.parts.map((part) =>
      'state' in part && part.state === 'approval-requested'
        ? {
            ...part,
            state: 'approval-responded',
            approval: { ...part.approval, approved },
          }
        : part,
    ),
  });

  test('a run that waits asks about the pending call, and the others count as approved', async () => {
    verifies('web.approvals');
    const { message } = await ask();
    expect(message.parts).toContainEqual(
      expect.objectContaining({ type: 'tool-remove', state: 'approval-requested', input: { path: 'a' } }),
    );
    expect(message.parts).toContainEqual(expect.objectContaining({ type: 'tool-look', state: 'approval-responded' }));
  });

  test('an approval lets the call run, and the same message goes on', async () => {
    const { message, goOn } = await ask();
    const isComplete = (last: UIMessage): boolean =>
      lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [last] });
    expect(isComplete(message)).toBe(false);
    const answered = respond(message, true);
    expect(isComplete(answered)).toBe(true);
    const chunks: UIMessageChunk[] = [];
    for await (const chunk of toUiMessageStream(goOn([answered]), { show: ALL })) chunks.push(chunk);
    const { message: after, errors } = await readMessage(chunks, answered);
    expect(errors).toEqual([]);
    expect(after?.parts).toContainEqual(
      expect.objectContaining({ type: 'tool-remove', state: 'output-available', output: 'removed' }),
    );
    expect(after?.parts.filter(({ type }) => type === 'tool-remove')).toHaveLength(1);
    expect(after?.parts.at(-1)).toMatchObject({ type: 'text', text: 'Removed.' });
    // So that `useChat` sends it once, and not again and again.
    expect(after && isComplete(after)).toBe(false);
  });

  test('a refusal denies it', async () => {
    const { message, goOn } = await ask();
    const result = await collect(goOn([respond(message, false)]));
    expect(result.toolCalls.find(({ call }) => call.name === 'remove')?.result.outcome).toBe('denied');
  });

  test.each([
    ['no answer', (message: UIMessage) => [message]],
    ['no messages', () => 'nonsense'],
    ['an answer in the words of the user', (message: UIMessage) => [{ ...respond(message, true), role: 'user' }]],
    [
      'an automatic answer',
      (message: UIMessage) => [
        JSON.parse(
          JSON.stringify(respond(message, true)).replaceAll('"approved":true', '"approved":true,"isAutomatic":true'),
        ),
      ],
    ],
  ])('%s leaves the call pending', async (_, messages) => {
    const { message, goOn } = await ask();
    const result = await collect(goOn(messages(message)));
    expect(result.reason).toBe('approval');
  });

  test('an approval of something else than was shown is refused or leaves the call pending', async () => {
    const { message, goOn } = await ask();
    const text = JSON.stringify([respond(message, true)]);
    const digest = /[0-9a-f]{64}/.exec(text)?.[0] ?? '';
    const other = await collect(goOn(JSON.parse(text.replaceAll(digest, 'f'.repeat(64)))));
    expect(other.reason).toBe('approval');
    expect(() => goOn(JSON.parse(text.replaceAll(digest, 'short')))).toThrow(
      expect.objectContaining({ code: 'ARGUMENTS_INVALID' }),
    );
  });

  test('a part of a late result is updated', async () => {
    const late = mockToolset([mockTool('look', 'x')]);
    const { message } = await readMessage(
      await (async () => {
        const chunks: UIMessageChunk[] = [];
        const events = start([{ calls: [{ name: 'look', id: 'c1' }] }, { text: 'ok' }], { tools: late });
        const withLate = async function* () {
          for await (const event of events) {
            yield event;
            if (event.type === 'tool-end')
              yield { type: 'tool-complete', callId: 'c1', result: { forLLM: 'late' } } as const;
          }
        };
        for await (const chunk of toUiMessageStream(withLate(), { show: ALL })) chunks.push(chunk);
        return chunks;
      })(),
    );
    expect(message?.parts).toContainEqual(expect.objectContaining({ type: 'tool-look', output: 'late' }));
  });
});
