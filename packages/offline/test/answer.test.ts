import { KernelError, type Message, type ProviderEvent, textOf, toolCallsOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { offlineProvider } from '../src/index.ts';
import { ask, workTools } from './fixtures.ts';

async function answerTo(prompt: string, ...results: readonly (string | Error)[]): Promise<string> {
  const asked: Message = { role: 'user', content: prompt };
  const message = await ask([asked], workTools);
  const calls = toolCallsOf(message);
  expect(calls).toHaveLength(results.length);
  const replies = results.map((result, index): Message => ({
    role: 'tool',
    toolCallId: calls[index]?.id ?? '',
    name: calls[index]?.name ?? '',
    content: result instanceof Error ? result.message : result,
    ...(result instanceof Error ? { isError: true } : {}),
  }));
  const answer = await ask([asked, message, ...replies], workTools);
  expect(toolCallsOf(answer)).toEqual([]);
  return textOf(answer);
}

test('one result is the answer as it is', async () => {
  expect(await answerTo('list packages', 'a\nb')).toBe('a\nb');
});

test('several results are labelled with tool and arguments', async () => {
  expect(await answerTo('list packages and tell me the time in Tokyo', 'a', '09:00')).toBe(
    'list_folder (packages):\na\n\nclock (Asia/Tokyo):\n09:00',
  );
});

test('where one of several tools failed there is no answer but an error with all that is known, in words without a code', async () => {
  verifies('offline.partial');
  await expect(
    answerTo('read nothing.md and list packages', new Error('TOOL_FAILED: no such file'), 'a'),
  ).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    message: 'read_file (nothing.md):\nThe tool read_file failed: no such file\n\nlist_folder (packages):\na',
  });
});

test('where every tool failed there is no answer but an error that says what failed', async () => {
  await expect(answerTo('read nothing.md', new Error('TOOL_FAILED: no such file'))).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    message: 'The tool read_file failed: no such file',
    retryable: false,
  });
  await expect(
    answerTo('read a.md and list packages', new Error('TOOL_TIMEOUT: too slow'), new Error('gone')),
  ).rejects.toThrow(/read_file failed: too slow[\s\S]*list_folder failed: gone/);
});

test('a field that is asked for is taken out of JSON text', async () => {
  const json = '{"name":"kernel","packageManager":"pnpm@12","engines":{"node":">=22"}}';
  expect(await answerTo('read package.json and tell me the name', json)).toBe('kernel');
  expect(await answerTo('what is the package manager in package.json?', json)).toBe('pnpm@12');
  expect(await answerTo('read package.json and tell me the colour', json)).toBe(
    `${json}\n\n(No field "colour" found at its top level.)`,
  );
});

test('a prompt of which a part fits no tool is refused whole, and the part is named', async () => {
  verifies('offline.whole');
  await expect(ask('read README.md and summarise it', workTools)).rejects.toMatchObject({
    code: 'PROVIDER_REFUSED',
    message: expect.stringContaining('no tool on offer that only reads fits "summarise it"'),
  });
});

test('a refusal says in at most four lines what offline can do and how to get a model', async () => {
  const error: unknown = await ask('write me a poem', workTools).catch((reason: unknown) => reason);
  if (!KernelError.is(error, 'PROVIDER_REFUSED')) throw error;
  expect(error.message).toContain("Offline can't do this");
  expect(error.hint).toContain('Try: "How late is it in Paris?"');
  expect(error.hint).toContain('It can also use arithmetic, ');
  expect(error.hint?.split('\n').length).toBeLessThanOrEqual(4);
  expect(error.hint).toContain('OPENAI_API_KEY');
  expect(error.retryable).toBe(false);
});

test('without tools, or with toolChoice none, everything is refused', async () => {
  await expect(ask('list packages', [])).rejects.toThrow("Offline can't do this");
  await expect(ask('list packages', workTools, { toolChoice: 'none' })).rejects.toThrow("Offline can't do this");
});

test('a named tool choice keeps to that tool, and an unoffered name throws', async () => {
  const prompt = 'list packages';
  const message = await ask(prompt, workTools, { toolChoice: { name: 'list_folder' } });
  await expect(ask(prompt, workTools, { toolChoice: { name: 'read_file' } })).rejects.toMatchObject({
    code: 'PROVIDER_REFUSED',
  });
  expect(toolCallsOf(message).map(({ name }) => name)).toEqual(['list_folder']);
  await expect(ask(prompt, workTools, { toolChoice: { name: 'toString' } })).rejects.toThrow('toString');
});

test('a JSON form is refused plainly', async () => {
  const responseFormat = { name: 'x', schema: {} };
  await expect(ask('list packages', workTools, { responseFormat })).rejects.toMatchObject({
    code: 'PROVIDER_UNSUPPORTED',
  });
});

test('each reply is deltas and then exactly one message-end, with and without streaming', async () => {
  for (const stream of [true, false]) {
    const events: ProviderEvent[] = [];
    for await (const event of offlineProvider().stream({
      model: 'x',
      stream,
      tools: workTools,
      messages: [
        { role: 'user', content: 'list packages' },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', id: 'a', name: 'list_folder', arguments: '{"path":"packages"}' }],
        },
        { role: 'tool', toolCallId: 'a', name: 'list_folder', content: 'one\ntwo\n' },
      ],
    })) {
      events.push(event);
    }
    expect(events.map(({ type }) => type)).toEqual([
      ...Array<string>(stream ? 2 : 1).fill('text-delta'),
      'message-end',
    ]);
    expect(events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe('one\ntwo\n');
    expect(events.at(-1)).toMatchObject({
      finishReason: 'stop',
      message: { provider: { vendor: 'offline', model: 'x' } },
    });
  }
});

test('the calls of one reply have ids of their own', async () => {
  const message = await ask('list packages and list apps', workTools);
  expect(toolCallsOf(message).map(({ id }) => id)).toEqual(['offline-1', 'offline-2']);
});

test('an abort before or between events throws its reason', async () => {
  const reason = new Error('enough');
  await expect(ask('list packages', workTools, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const stop = new AbortController();
  const events = offlineProvider().stream({
    model: 'x',
    messages: [{ role: 'user', content: 'ls packages' }],
    tools: workTools,
    signal: stop.signal,
  });
  const iterator = events[Symbol.asyncIterator]();
  await iterator.next();
  stop.abort(reason);
  await expect(iterator.next()).rejects.toBe(reason);
});
