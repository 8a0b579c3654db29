import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prompt, workspace } from './program.ts';

let server: WireServer;
beforeEach(async () => {
  server = await startWireServer({ replies: () => ({ text: 'hello' }) });
});
afterEach(() => server.close());

function configured(extra: object = {}): string {
  return workspace({
    'config.json': JSON.stringify({
      system_prompt: 'From the file.',
      provider: { name: 'openai', base_url: server.baseUrl, options: { token: 'file-token' } },
      model: { name: 'file-model', capabilities: { chat: { temperature: 0, max_tokens: 5 } } },
      ...extra,
    }),
  });
}

const seen = () => server.requests.map(({ headers, body }) => ({ authorization: headers['authorization'], body }));

test('a config.json in the folder is used: provider, model, options, system prompt and token', async () => {
  verifies('config.file');
  const { code, stdout } = await prompt(['-protocol', 'chat', 'hi'], { cwd: configured() });
  expect([code, stdout.split('\n')[0]]).toEqual([0, 'Response: hello']);
  expect(seen()).toMatchObject([
    {
      authorization: 'Bearer file-token',
      body: {
        model: 'file-model',
        temperature: 0,
        max_tokens: 5,
        messages: [
          { role: 'system', content: 'From the file.' },
          { role: 'user', content: 'hi' },
        ],
      },
    },
  ]);
});

test('flags override the file, and the environment gives the token where neither does', async () => {
  verifies('cli.overrides');
  const cwd = configured();
  await prompt(['-protocol', 'chat', '-system-prompt', 'Mine.', '-token', 'flag-token', '-model=flag-model', 'hi'], {
    cwd,
  });
  const bare = configured({ provider: { name: 'openai', base_url: server.baseUrl } });
  await prompt(['-protocol', 'chat', 'hi'], { cwd: bare, env: { OPENAI_API_KEY: 'env-token' } });
  expect(seen()).toMatchObject([
    { authorization: 'Bearer flag-token', body: { model: 'flag-model', messages: [{ content: 'Mine.' }, {}] } },
    { authorization: 'Bearer env-token' },
  ]);
});

test('${VAR} is filled in, and an unset one exits 2 naming it', async () => {
  verifies('config.env');
  const cwd = configured({ provider: { name: 'openai', base_url: server.baseUrl, options: { token: '${MY_KEY}' } } });
  await prompt(['-protocol', 'chat', 'hi'], { cwd, env: { MY_KEY: 'k' } });
  expect(seen()[0]?.authorization).toBe('Bearer k');
  const { code, stderr } = await prompt(['hi'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('config.json: provider.options.token: expected the environment variable MY_KEY to be set');
});

test('a named file that is missing, and every fault in one, exits 2; a missing default is no error', async () => {
  verifies('config.invalid');
  expect((await prompt(['2+2'])).code).toBe(0);
  const missing = await prompt(['-config', 'other.json', '2+2']);
  expect([missing.code, missing.stderr]).toEqual([
    2,
    'prompt-agent: --config: "other.json" cannot be read (ENOENT).\n',
  ]);
  const cwd = workspace({ 'bad.json': '{"name": 1, "client": {"timeout": "soon"}}' });
  const bad = await prompt(['--config=bad.json', '2+2'], { cwd });
  expect(bad.code).toBe(2);
  expect(bad.stderr).toMatch(/bad\.json has 2 errors:\n {2}name: .*\n {2}client\.timeout: /);
});

test('an unknown key warns with a near name and the run goes on', async () => {
  verifies('config.invalid');
  const cwd = workspace({
    'config.json': '{"systemprompt": "x", "provider": {"name": "offline", "options": {"region": "eu"}}}',
  });
  const { code, stderr } = await prompt(['2+2'], { cwd });
  expect(code).toBe(0);
  expect(stderr).toContain('warning: config.json: systemprompt: unknown key, ignored. Did you mean "system_prompt"?');
  expect(stderr).toContain('warning: config.json: provider.options.region: not used by this program.');
});
