import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAskClock } from '../../../src/client/calls/call-clock.ts';
import { createElicitation, type ElicitUrl } from '../../../src/client/connection/questions.ts';
import type { McpAnswer, McpQuestion } from '../../../src/index.ts';
import { call, connected, misbehaving } from '../programs.ts';
import { startJsonServer } from '../../fixtures/json-server.ts';

test('a server asks the user in the middle of a call, and fields that are left out get their defaults', async () => {
  const questions: McpQuestion[] = [];
  const toolset = await connected(
    { a: misbehaving('asks') },
    {
      elicit(question) {
        questions.push(question);
        return Promise.resolve({ action: 'accept', content: { name: 'Ada', tags: ['a', 'b'] } });
      },
    },
  );
  const { forLLM } = await call(toolset, 'mcp__a__ok');
  expect(JSON.parse(forLLM)).toEqual({ action: 'accept', content: { name: 'Ada', tags: ['a', 'b'], size: 'small' } });
  expect(questions).toMatchObject([{ server: 'a', message: 'Who?', schema: { type: 'object' } }]);
});

test('a user who declines is a decline, and without `elicit` the server learns that nobody can be asked', async () => {
  const declining = await connected(
    { a: misbehaving('asks') },
    { elicit: () => Promise.resolve({ action: 'decline' }) },
  );
  expect(JSON.parse((await call(declining, 'mcp__a__ok')).forLLM)).toEqual({ action: 'decline' });
  const alone = await connected({ a: misbehaving('asks') });
  expect((await call(alone, 'mcp__a__ok')).forLLM).toContain('-32601');
});

test('the time in which a user thinks does not count for the clock of a call', async () => {
  const toolset = await connected(
    { a: misbehaving('asks') },
    {
      timeoutMs: 60_000,
      elicit: () => {
        vi.advanceTimersByTime(240_000);
        return Promise.resolve({ action: 'decline' });
      },
    },
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(JSON.parse((await call(toolset, 'mcp__a__ok')).forLLM)).toEqual({ action: 'decline' });
});

test('a server that sends no result after its question times out', async () => {
  const toolset = await connected(
    { a: misbehaving('asks', '60000') },
    { timeoutMs: 100, elicit: () => Promise.resolve({ action: 'decline' }) },
  );
  expect(await call(toolset, 'mcp__a__ok')).toMatchObject({ code: 'TOOL_TIMEOUT', outcome: 'timeout' });
});

test('a server that asks without end does not keep the user busy', async () => {
  verifies('mcp.loops');
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let asked = 0;
  const elicit = (): Promise<McpAnswer> => {
    asked += 1;
    return Promise.resolve({ action: 'decline' });
  };
  const answer = createElicitation('a', { elicit }, createAskClock());
  const requestedSchema = { type: 'object', properties: {} } as const;
  const ask = () => answer({ message: 'Again?', requestedSchema }, new AbortController().signal);
  for (let count = 0; count < 20; count += 1) expect(await ask()).toEqual({ action: 'decline' });
  for (let count = 0; count < 100; count += 1) expect(await ask()).toEqual({ action: 'cancel' });
  expect(asked).toBe(20);
  vi.advanceTimersByTime(60_000);
  expect(await ask()).toEqual({ action: 'decline' });
});

test('a server that refuses a call until the user was at a page has the page shown, and is called once more', async () => {
  verifies('mcp.client.pagesRequired');
  let calls = 0;
  const page = { mode: 'url', elicitationId: '1', message: 'Sign in.', url: 'https://example.com/sign-in' };
  const connect = async (elicitations: readonly object[], elicitUrl?: ElicitUrl) => {
    const { url } = await startJsonServer({
      'tools/list': () => ({ tools: [{ name: 'pay', inputSchema: { type: 'object' } }] }),
      'tools/call'() {
        calls += 1;
        if (calls === 2) return { content: [{ type: 'text', text: 'Paid.' }] };
        throw Object.assign(new Error('Sign in first'), { code: -32_042, data: { elicitations } });
      },
    });
    calls = 0;
    return connected({ a: { url } }, { elicitUrl });
  };
  const shown: string[] = [];
  const agree: ElicitUrl = ({ url }) => {
    shown.push(url);
    return Promise.resolve('accept');
  };
  expect((await call(await connect([page], agree), 'mcp__a__pay')).forLLM).toBe('Paid.');
  expect([shown, calls]).toEqual([[page.url], 2]);
  const refused = [
    await connect([page], () => Promise.resolve('decline')),
    await connect([{ ...page, url: 'javascript:alert(1)' }], agree),
    await connect([], agree),
    await connect([page]),
  ];
  for (const toolset of refused) {
    calls = 0;
    expect((await call(toolset, 'mcp__a__pay')).forLLM).toContain('Sign in first');
    expect(calls).toBe(1);
  }
  // One that is never content is called once more, and no more.
  const endless = await connect([page], agree);
  calls = 2;
  expect((await call(endless, 'mcp__a__pay')).forLLM).toContain('Sign in first');
  expect([shown.length, calls]).toEqual([2, 4]);
});
