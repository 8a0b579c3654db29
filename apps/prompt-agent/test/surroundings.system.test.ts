import { createServer, request as forward } from 'node:http';
import { type AddressInfo } from 'node:net';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { prompt, workspace } from './program.ts';

test('requests go through the proxy of the environment, and NO_PROXY excludes a host from it', async () => {
  verifies('cli.config.proxy');
  const server = await startWireServer({ replies: () => ({ text: 'hello' }) });
  onTestFinished(() => server.close());
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    const { pathname } = new URL(request.url ?? '');
    const { method, headers } = request;
    const next = forward(`${server.url}${pathname}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(next);
  });
  // A plain `http:` origin may also be reached by CONNECT.
  proxy.on('connect', ({ url = '' }, socket) => {
    asked.push(url);
    socket.end('HTTP/1.1 502 No\r\n\r\n');
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const args = ['--base-url', 'http://model.test/v1', '--model', 'm', '-protocol', 'chat', 'hi'];
  const { code, stdout, stderr } = await prompt(args, { env: { HTTP_PROXY } });
  expect([code, stdout.split('\n')[0], stderr, asked]).toMatchObject([
    0,
    'Response: hello',
    expect.any(String),
    ['http://model.test/v1/chat/completions'],
  ]);
  const direct = ['--base-url', server.baseUrl, '--model', 'm', '-protocol', 'chat', 'hi'];
  expect((await prompt(direct, { env: { HTTP_PROXY } })).code).toBe(0);
  expect(asked).toHaveLength(1);
});

test('an offline answer without a config file loads no schema library, and a config file loads it', async () => {
  verifies('cli.config.lazy');
  const loads = new URL('fixtures/loads-zod.ts', import.meta.url).href;
  const env = { NODE_OPTIONS: `--import=${loads}` };
  const without = await prompt(['2+2'], { env });
  expect([without.code, without.stdout]).toEqual([0, '4\n']);
  expect(without.stderr).not.toContain('zod is loaded');
  const cwd = workspace({ 'tools.json': '[]', '.config/prompt-agent/permissions.json': '{"rules":[]}' });
  expect((await prompt(['2+2'], { env, cwd })).stderr).toContain('zod is loaded');
});
