import type { ChildProcess } from 'node:child_process';
import { startWireServer, verifies, type WireServer, type WireServerOptions } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type Outcome, prompt, promptHere, type Start, TELLS_WAITS, waitedMs } from './program.ts';

async function withServer<T>(
  options: WireServerOptions,
  use: (server: WireServer, ask: (args: readonly string[], start?: Start) => Promise<Outcome>) => Promise<T>,
): Promise<T> {
  const server = await startWireServer(options);
  try {
    return await use(server, (args, start = {}) =>
      ('watch' in start ? prompt : promptHere)(['--base-url', server.baseUrl, '--model', 'm', ...args], start),
    );
  } finally {
    await server.close();
  }
}

test('--stream prints the text as it arrives', async () => {
  let early = '';
  const replies = [{ text: 'one two three four', pieces: 4, fault: { delayMs: 500 } }];
  await withServer({ replies }, async (_, ask) => {
    const { stdout } = await ask(['--stream', 'count'], { watch: (_child, out) => (early ||= out) });
    expect(stdout).toBe('one two three four\n');
    expect(early.length).toBeLessThan(stdout.length);
  });
});

test('a refused connection fails with exit 8 and says which address', async () => {
  verifies('cli.exit');
  const { code, stdout, stderr } = await promptHere(['--base-url', 'http://127.0.0.1:9/v1', '--model', 'm', 'hi']);
  expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
  expect(stderr).toContain('127.0.0.1:9');
});

test('a busy server is asked again, and a line on stderr says when and why', async () => {
  verifies('providers.retry.policy');
  const busy = { status: 503, headers: { 'retry-after-ms': '20' }, chunks: ['{"error":{"message":"Slow down."}}'] };
  await withServer({ replies: [busy, busy, busy, { text: 'done' }] }, async (server, ask) => {
    const { code, stdout, stderr } = await ask(['hi']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' });
    expect(stderr).toContain('retry 3 in 0.0 s: openai answered 503: Slow down.');
    expect(server.requests).toHaveLength(4);
  });
});

test('malformed JSON from the server exits 1 with a message, not with a stack', async () => {
  verifies('cli.exit');
  const raw = { status: 200, headers: { 'content-type': 'application/json' }, chunks: ['{"choices": [{'] };
  await withServer({ replies: [raw, raw, raw, raw] }, async (_, ask) => {
    const { code, stdout, stderr } = await ask(['hi']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/prompt-agent: /);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

test('Ctrl-C ends a waiting run within a second with exit 130', async () => {
  verifies('cli.exit');
  for (const flags of [[], ['--stream'], ['-protocol', 'chat']]) {
    let program: ChildProcess | undefined;
    const replies: WireServerOptions['replies'] = () => {
      // The program waits for the reply now.
      program?.kill('SIGINT');
      return { text: 'never', fault: { beforeHead: 'stall' } };
    };
    await withServer({ replies }, async (_, ask) => {
      const outcome = await ask([...flags, 'hi'], { env: TELLS_WAITS, watch: (child) => (program ??= child) });
      expect(outcome).toMatchObject({ code: 130, stdout: '' });
      expect(waitedMs(outcome)).toBeLessThan(1000);
    });
  }
});

test('a reader that goes away ends the program quietly', async () => {
  const text = 'many words '.repeat(20_000);
  await withServer({ replies: [{ text, pieces: 2000 }] }, async (_, ask) => {
    const { code, stderr } = await ask(['--stream', 'hi'], { watch: (child) => child.stdout?.destroy() });
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|Error/);
  });
});
