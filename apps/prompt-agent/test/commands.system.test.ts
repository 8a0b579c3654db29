import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startWireServer, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { prompt, promptHere, waitPatiently, workspace } from './program.ts';

describe('keys', () => {
  const KEY = 'sk-test-0123456789abcdefghij';

  test("a kept key does not go to the address of a project's file", async () => {
    verifies('cli.keys');
    const server = await startWireServer({ replies: () => ({ text: 'ok' }) });
    try {
      const cwd = workspace({
        'config.json': JSON.stringify({ provider: { name: 'openai', base_url: server.baseUrl }, model: { name: 'm' } }),
      });
      await promptHere(['keys', 'set', 'openai'], { cwd, input: KEY });
      await promptHere(['hi'], { cwd });
      for (const { headers } of server.requests) expect(headers['authorization']).toBeUndefined();
    } finally {
      await server.close();
    }
  });

  test('--token-file and --token-command give the credential; --token says that ps shows it', async () => {
    verifies('cli.keys.token');
    const server = await startWireServer({ token: KEY, replies: () => ({ text: 'ok' }) });
    try {
      const cwd = workspace({ 'key.txt': `${KEY}\n` });
      const ask = (...args: string[]) => promptHere(['--base-url', server.baseUrl, '-m', 'm', ...args, 'hi'], { cwd });
      expect((await ask('--token-file', 'key.txt')).code).toBe(0);
      expect((await ask('--token-command', `cat "${join(cwd, 'key.txt')}"`)).code).toBe(0);
      const shown = await ask('--token', KEY);
      expect([shown.code, shown.stderr]).toEqual([0, expect.stringContaining('can be seen by other users')]);
      for (const args of [
        ['--token-file', 'none.txt'],
        ['--token-command', 'false'],
        ['--token-command', 'yes'],
        ['--token-command', 'echo ""'],
        ['--token', 'x', '--token-file', 'key.txt'],
      ])
        // oxlint-disable-next-line no-await-in-loop -- one server
        expect([args, (await ask(...args)).code]).toEqual([args, 2]);
    } finally {
      await server.close();
    }
  });
});

test('models lists what each vendor and local server answers, and a vendor that refuses is a note', async () => {
  verifies('cli.commands.models');
  waitPatiently();
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const isGood = request.headers.authorization !== 'Bearer bad-key-0123456789';
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: [{ id: 'b-model' }, { id: 'a-\u001b[31mmodel' }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  try {
    const args = ['models', '--provider', 'openai', '--base-url', url];
    const found = await prompt(args, { env: { OPENAI_API_KEY: 'good-key-0123456789' } });
    expect([found.code, found.stdout]).toEqual([0, 'openai/a-\\x1b[31mmodel\nopenai/b-model\n']);
    const refused = await promptHere(args, { env: { OPENAI_API_KEY: 'bad-key-0123456789' } });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('status 401');
    const local = await promptHere(['models'], { env: { PROMPT_AGENT_SERVERS: url } });
    expect(local.stdout).toContain('openai/b-model\n');
    expect(seen.at(-1)?.headers.authorization).toBeUndefined();
  } finally {
    server.close();
  }
});
