import { KernelError, type Provider, type ProviderEvent, type ProviderRequest } from '@kernel/protocol';
import { type ScriptStep, scriptedProvider, startWireServer, verifies } from '@kernel/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProvider, withRetry, withTurnRetry } from '../../src/index.ts';
import { withTextTools } from '../../src/text-tools/with-text-tools.ts';

const request: ProviderRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const cut = new KernelError('PROVIDER_NETWORK', 'the connection broke', { retryable: true });
const broken = (text: string, error: Error = cut): ScriptStep => ({ error, after: [{ type: 'text-delta', text }] });

async function read(provider: Provider, more: Partial<ProviderRequest> = {}): Promise<ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  for await (const event of provider.stream({ ...request, ...more })) events.push(event);
  return events;
}
const shown = (events: readonly ProviderEvent[]): string[] =>
  events.map((event) => (event.type === 'text-delta' ? event.text : event.type));

describe('withTurnRetry', () => {
  test('asks again for a reply that broke off, and withdraws what it has shown', async () => {
    verifies('providers.turnRetry');
    const inner = scriptedProvider([broken('Par'), { text: 'Paris.' }]);
    const errors: KernelError[] = [];
    const events = await read(withTurnRetry(inner, { onRetry: (error) => errors.push(error) }));
    expect(shown(events)).toEqual(['Par', 'reply-withdrawn', 'Paris.', 'message-end']);
    expect(events[1]).toEqual({ type: 'reply-withdrawn', code: 'PROVIDER_NETWORK', message: 'the connection broke' });
    expect(inner.streamRequests[1]).toBe(inner.streamRequests[0]);
    expect(errors).toEqual([cut]);
  });

  test('a real connection that is cut midway is asked again over the next one', async () => {
    const server = await startWireServer({
      replies: [{ text: 'Paris is it.', pieces: 4, fault: { cutAfter: 700 } }, { text: 'Paris.' }],
    });
    onTestFinished(() => server.close());
    const provider = withTurnRetry(createProvider({ name: 'openai', baseUrl: server.baseUrl, token: 'abcd' }));
    const events = await read(provider);
    expect(shown(events)).toContain('reply-withdrawn');
    const after = events.slice(events.findIndex((event) => event.type === 'reply-withdrawn') + 1);
    expect(shown(after).join('')).toBe('Paris.message-end');
  });

  test('gives up after maxRetries, with the last error', async () => {
    const inner = scriptedProvider([broken('a'), broken('b'), broken('c')]);
    const events: string[] = [];
    const reading = (async () => {
      for await (const event of withTurnRetry(inner, { maxRetries: 2 }).stream(request))
        events.push(event.type === 'text-delta' ? event.text : event.type);
    })();
    await expect(reading).rejects.toBe(cut);
    expect(events).toEqual(['a', 'reply-withdrawn', 'b', 'reply-withdrawn', 'c']);
  });

  test.each<readonly [string, ScriptStep]>([
    ['before its first event', { error: cut }],
    ['for a reason that does not pass', broken('a', new KernelError('PROVIDER_REFUSED', 'no'))],
    ['with an error of another kind', broken('a', new Error('bug'))],
  ])('a reply that fails %s is not asked for again', async (_what, step) => {
    const inner = scriptedProvider([step, { text: 'again' }]);
    await expect(read(withTurnRetry(inner))).rejects.toBeDefined();
    expect(inner.requests).toHaveLength(1);
  });

  test('an abort ends it, also while it waits', async () => {
    const controller = new AbortController();
    const inner = scriptedProvider([broken('a'), { text: 'b' }]);
    const provider = withTurnRetry(inner, { backoffMs: 1_000_000, onRetry: () => controller.abort() });
    await expect(read(provider, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(inner.requests).toHaveLength(1);
  });

  test('leaving the iteration closes the stream that is read', async () => {
    let isClosed = false;
    const inner: Provider = {
      name: 'p',
      async *stream() {
        try {
          yield { type: 'text-delta', text: 'a' };
          yield { type: 'text-delta', text: 'b' };
        } finally {
          isClosed = true;
        }
      },
    };
    const events = withTurnRetry(inner).stream(request)[Symbol.asyncIterator]();
    await events.next();
    await events.return?.();
    expect(isClosed).toBe(true);
  });

  test('stands outside of withRetry, which takes care of the rest', async () => {
    const inner = scriptedProvider([{ error: cut }, broken('a'), { error: cut }, { text: 'b' }]);
    const provider = withTurnRetry(withRetry(inner, { initialBackoffMs: 0 }));
    expect(shown(await read(provider))).toEqual(['a', 'reply-withdrawn', 'b', 'message-end']);
  });

  test('calls written as text start again too', async () => {
    const call = '<tool_call>{"name":"add","arguments":{"a":1}}</tool_call>';
    const tools = [{ name: 'add', description: '', parameters: { type: 'object' } }];
    const inner = scriptedProvider([broken('<tool_call>{"name":"add","argum'), { text: call }]);
    const events = await read(withTextTools(withTurnRetry(inner), 'hermes'), { tools });
    const end = events.at(-1);
    expect(end?.type === 'message-end' && end.message.content).toMatchObject([
      { type: 'tool-call', name: 'add', arguments: '{"a":1}' },
    ]);
  });

  test.each([
    [{ maxRetries: -1 }, /maxRetries/],
    [{ onRetry: 1 }, /onRetry/],
  ])('refuses %j', (options, message) => {
    expect(() => withTurnRetry(scriptedProvider([]), options as never)).toThrow(message);
  });
});
