import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../../test/setup/temporary-folder.ts';
import { withoutTimers } from '../../../../../test/setup/without-timers.ts';
import { call, connected, misbehaving, server } from '../programs.ts';

test('arguments reach the server, and blank text counts as none', async () => {
  verifies('mcp.client.toolset');
  const toolset = await connected({ a: server('echo', 'ok') });
  expect(await call(toolset, 'mcp__a__echo', { note: 'héllo\n"' })).toEqual({ forLLM: 'héllo\n"' });
  expect(await call(toolset, 'mcp__a__ok', ' ')).toEqual({ forLLM: 'ok' });
});

test('arguments that were encoded twice are unwrapped, and the repair is reported', async () => {
  const toolset = await connected({ a: server('echo') });
  const result = await call(toolset, 'mcp__a__echo', JSON.stringify('{"note":"x"}'));
  expect(result).toEqual({
    forLLM: 'x\n(Repaired arguments: / json-text.)',
    repairs: [{ path: '', from: '{"note":"x"}', to: 'an object', rule: 'json-text' }],
  });
});

test('text that is not a JSON object is a result that says so, and nothing is sent', async () => {
  const toolset = await connected({ a: server('echo') });
  for (const [text, why] of [
    ['{"note":', 'not valid JSON'],
    ['[1]', 'an array'],
    ['null', 'null'],
    ['"x"', 'a string'],
  ] as const) {
    const result = await call(toolset, 'mcp__a__echo', text);
    expect(result).toMatchObject({ isError: true, code: 'ARGUMENTS_INVALID' });
    expect(result.forLLM).toContain(why);
  }
});

test('every kind of content has its place in the result', async () => {
  verifies('mcp.client.toolset');
  const toolset = await connected({ a: server('media', 'weather') });
  expect(await call(toolset, 'mcp__a__media')).toEqual({
    forLLM: 'one\na.txt: file:///a.txt (text/plain) A file.\nfile:///b.txt:\ntwo',
    media: [
      { type: 'image', mimeType: 'image/png', data: 'aW1n' },
      { type: 'audio', mimeType: 'audio/wav', data: 'd2F2' },
      { type: 'file', mimeType: 'application/pdf', data: 'cGRm', name: 'file:///c.pdf' },
    ],
  });
  expect(await call(toolset, 'mcp__a__weather')).toEqual({ forLLM: '{"degrees":21}', data: { degrees: 21 } });
});

test("a tool's failure is a failed result with its text", async () => {
  const toolset = await connected({ a: server('fails') });
  expect(await call(toolset, 'mcp__a__fails')).toEqual({
    forLLM: 'there is no such city',
    isError: true,
    code: 'TOOL_FAILED',
  });
});

test('a JSON-RPC error is a result with its message and code, and secrets of the config are not in it', async () => {
  const toolset = await connected({
    a: { ...server('refuses', 'bad.params'), env: { SECRET_TOKEN: 'sk-very-secret' } },
  });
  const refused = await call(toolset, 'mcp__a__refuses');
  expect(refused).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
  expect(refused.forLLM).toContain('no: [redacted] (JSON-RPC -32000)');
  const [, bad] = toolset.list();
  expect(await call(toolset, bad?.name ?? '')).toMatchObject({ isError: true, code: 'ARGUMENTS_INVALID' });
});

test('structured content that does not match its schema is told, with what is wrong; a tool whose schema is not valid is not offered', async () => {
  const toolset = await connected({ a: server('wrong_shape', 'odd_schema') });
  const wrong = await call(toolset, 'mcp__a__wrong_shape');
  verifies('mcp.client.readable');
  expect(wrong).toEqual({
    forLLM: `{"hot":true}\n(This is not what the tool's output schema promises: / must be "degrees".)`,
  });
  expect(toolset.list().map(({ name }) => name)).toEqual(['mcp__a__wrong_shape']);
  expect(await call(toolset, 'mcp__a__odd_schema')).toMatchObject({ isError: true, code: 'TOOL_UNAVAILABLE' });
});

test('progress is reported while the call runs', async () => {
  const toolset = await connected({ a: server('works') });
  const updates: string[] = [];
  const result = await call(toolset, 'mcp__a__works', {}, { onProgress: (update) => updates.push(update) });
  expect(result.forLLM).toBe('done');
  expect(updates).toEqual(['1/6', 'step 2', 'step 3', 'step 4', 'step 5', 'step 6']);
});

test('progress that comes in one packet with the result is reported before it', async () => {
  const toolset = await connected({ a: server('bursts') });
  const updates: string[] = [];
  const result = call(toolset, 'mcp__a__bursts', {}, { onProgress: (update) => updates.push(update) });
  expect((await result).forLLM).toBe('ok');
  expect(updates).toEqual(['1', '2', '3']);
});

test('a listener of progress that throws does not fail the call', async () => {
  const toolset = await connected({ a: server('works') });
  const onProgress = (): void => {
    throw new Error('not mine');
  };
  expect((await call(toolset, 'mcp__a__works', {}, { onProgress })).forLLM).toBe('done');
});

test('the timeout of a call restarts with each progress', async () => {
  verifies('mcp.client.toolset');
  const toolset = await connected({ a: server('works') }, { timeoutMs: 60_000 });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const onProgress = (): void => void vi.advanceTimersByTime(59_000);
  expect((await call(toolset, 'mcp__a__works', {}, { onProgress })).forLLM).toBe('done');
  expect(performance.now()).toBeGreaterThan(300_000);
});

test('a result that came while this program was stopped for longer than the timeout counts', async () => {
  verifies('mcp.client.toolset');
  const file = join(temporaryFolder('mcp-'), 'server');
  const toolset = await connected({ a: misbehaving('answers-when-told', file) }, { timeoutMs: 60_000 });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const result = call(toolset, 'mcp__a__ok');
  while (!existsSync(`${file}-called`)) await new Promise(setImmediate);
  // Until the next await, this program reads nothing.
  writeFileSync(`${file}-told`, '');
  while (!existsSync(`${file}-answered`));
  vi.advanceTimersByTime(60_000);
  expect((await result).forLLM).toBe('ok');
});

test('a call without result or progress times out, the error names tool, server and limit, and the server is told to stop', async () => {
  verifies('mcp.client.toolset');
  const toolset = await connected({ a: server('hangs', 'heard') }, { timeoutMs: 1000 });
  const result = await call(toolset, 'mcp__a__hangs');
  expect(result).toMatchObject({ isError: true, code: 'TOOL_TIMEOUT', outcome: 'timeout' });
  expect(result.forLLM).toMatch(/"mcp__a__hangs" of MCP server "a" .* 1000 ms/);
  expect(JSON.parse((await call(toolset, 'mcp__a__heard')).forLLM)).toMatchObject({ cancelled: [expect.any(String)] });
});

test('an abort settles the call at once and sends the cancellation', async () => {
  verifies('mcp.client.toolset');
  const toolset = await connected({ a: server('hangs', 'heard') });
  const stop = new AbortController();
  const pending = call(toolset, 'mcp__a__hangs', {}, { signal: stop.signal });
  await call(toolset, 'mcp__a__heard'); // by then the first call is there, too
  const result = await withoutTimers(
    () => stop.abort(new Error('enough')),
    () => pending,
  );
  expect(result).toMatchObject({ isError: true, code: 'TOOL_CANCELLED', outcome: 'cancelled' });
  expect(JSON.parse((await call(toolset, 'mcp__a__heard')).forLLM)).toMatchObject({ cancelled: [expect.any(String)] });
});

test('a call whose signal is aborted already sends nothing', async () => {
  const toolset = await connected({ a: server('hangs', 'heard') });
  const result = await call(toolset, 'mcp__a__hangs', {}, { signal: AbortSignal.abort() });
  expect(result).toMatchObject({ isError: true, code: 'TOOL_CANCELLED' });
  expect(JSON.parse((await call(toolset, 'mcp__a__heard')).forLLM)).toMatchObject({ cancelled: [] });
});

test('many calls at the same time each get their own result and leave no listener on their signal', async () => {
  const toolset = await connected({ a: server('echo') });
  const stop = new AbortController();
  const added: string[] = [];
  const removed: string[] = [];
  const { signal } = stop;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => (added.push(args[0]), add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (removed.push(args[0]), remove(...args));
  const notes = Array.from({ length: 50 }, (_, index) => `note ${index}`);
  const results = await Promise.all(notes.map((note) => call(toolset, 'mcp__a__echo', { note }, { signal })));
  expect(results.map(({ forLLM }) => forLLM)).toEqual(notes);
  expect(removed.length).toBeGreaterThanOrEqual(added.length);
});

test('what is not JSON-RPC on stdout is ignored', async () => {
  const toolset = await connected({ a: misbehaving('garbage') });
  expect((await call(toolset, 'mcp__a__ok')).forLLM).toBe('ok');
});

test.each(['"error":"boom"', '"error":{"code":-32000}', '"result":null', '"result":"ok"', '"other":1'])(
  'an answer with %s fails its call at once',
  async (shape) => {
    const toolset = await connected({ a: misbehaving('shapeless', shape) });
    expect(await call(toolset, 'mcp__a__ok')).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
  },
);

test('a result of the wrong shape is told as that of a call that ran', async () => {
  verifies('mcp.unreadable');
  const toolset = await connected({ a: misbehaving('shapeless', '"result":{"content":"ok"}') });
  const result = await call(toolset, 'mcp__a__ok');
  expect([result.isError, result.forLLM]).toEqual([undefined, expect.stringContaining('ran to its end')]);
});

test('a second response to the same call changes nothing', async () => {
  const toolset = await connected({ a: misbehaving('double') });
  for (let count = 0; count < 3; count += 1) expect(await call(toolset, 'mcp__a__ok')).toEqual({ forLLM: 'ok' });
});

test('a response of three megabytes in one line arrives whole', async () => {
  const toolset = await connected({ a: misbehaving('huge') });
  expect((await call(toolset, 'mcp__a__ok')).forLLM).toHaveLength(3_000_000);
});

test('a line without end breaks the connection with a result that says so', async () => {
  const toolset = await connected({ a: misbehaving('endless-line') });
  const result = await call(toolset, 'mcp__a__ok');
  expect(result).toMatchObject({ isError: true, code: 'OUTCOME_UNKNOWN' });
  expect(result.forLLM).toContain('sent a line of more than 67108864 bytes');
});

test('a definition or a result that is nested too deeply affects nothing else', async () => {
  const toolset = await connected({ a: misbehaving('deep') });
  expect(toolset.list().map(({ name }) => name)).toEqual(['mcp__a__ok']);
  const result = await call(toolset, 'mcp__a__ok');
  expect(result).toEqual({ forLLM: '(The structured content is nested too deeply and was left out.)' });
});
