import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OWN_CONFIG, promptHere, workspace } from './program.ts';

let server: WireServer;
beforeEach(async () => {
  server = await startWireServer({ replies: () => ({ text: 'hello' }) });
});
afterEach(() => server.close());

function configured(extra: object = {}): string {
  return workspace({
    [OWN_CONFIG]: JSON.stringify({
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
  const { code, stdout } = await promptHere(['-protocol', 'chat', 'hi'], { cwd: configured() });
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
  await promptHere(
    ['-protocol', 'chat', '-system-prompt', 'Mine.', '-token', 'flag-token', '-model=flag-model', 'hi'],
    {
      cwd,
    },
  );
  const bare = configured({ provider: { name: 'openai', base_url: server.baseUrl } });
  await promptHere(['-protocol', 'chat', 'hi'], { cwd: bare, env: { OPENAI_API_KEY: 'env-token' } });
  expect(seen()).toMatchObject([
    { authorization: 'Bearer flag-token', body: { model: 'flag-model', messages: [{ content: 'Mine.' }, {}] } },
    { authorization: 'Bearer env-token' },
  ]);
});

test('${VAR} is filled in, and an unset one exits 2 naming it', async () => {
  verifies('config.env');
  const cwd = configured({ provider: { name: 'openai', base_url: server.baseUrl, options: { token: '${MY_KEY}' } } });
  await promptHere(['-protocol', 'chat', 'hi'], { cwd, env: { MY_KEY: 'k' } });
  expect(seen()[0]?.authorization).toBe('Bearer k');
  const { code, stderr } = await promptHere(['hi'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('config.json: provider.options.token: expected the environment variable MY_KEY to be set');
});

test('a named file that is missing, and every fault in one, exits 2; a missing default is no error', async () => {
  verifies('config.invalid');
  expect((await promptHere(['2+2'])).code).toBe(0);
  const missing = await promptHere(['-config', 'other.json', '2+2']);
  expect([missing.code, missing.stderr]).toEqual([
    2,
    'prompt-agent: --config: "other.json" cannot be read (ENOENT).\n',
  ]);
  const cwd = workspace({ 'bad.json': '{"name": 1, "client": {"timeout": "soon"}}' });
  const bad = await promptHere(['--config=bad.json', '2+2'], { cwd });
  expect(bad.code).toBe(2);
  expect(bad.stderr).toMatch(/bad\.json has 2 errors:\n {2}name: .*\n {2}client\.timeout: /);
});

test('an unknown key warns with a near name and the run goes on', async () => {
  verifies('config.invalid');
  const cwd = workspace({
    [OWN_CONFIG]: '{"systemprompt": "x", "provider": {"name": "offline"}}',
  });
  const { code, stderr } = await promptHere(['2+2'], { cwd });
  expect(code).toBe(0);
  expect(stderr).toContain('config.json: systemprompt: unknown key, ignored. Did you mean "system_prompt"?');
});

test('an option that the provider does not have is an error, with its near name', async () => {
  verifies('config.noEffect');
  const offline = { [OWN_CONFIG]: '{"provider": {"name": "offline", "options": {"region": "eu"}}}' };
  const first = await promptHere(['2+2'], { cwd: workspace(offline) });
  expect([first.code, first.stderr]).toMatchObject([
    2,
    expect.stringContaining('offline: there is no option "region"'),
  ]);
  const cwd = configured({ provider: { name: 'openai', base_url: server.baseUrl, options: { header: {} } } });
  const second = await promptHere(['2+2'], { cwd });
  expect([second.code, second.stderr]).toMatchObject([2, expect.stringContaining('"headers"')]);
});

test("the kernel program's file works unchanged, with a memory folder that does not exist yet", async () => {
  verifies('config.kernelFile');
  const cwd = workspace({
    'kernel.json': JSON.stringify({
      agent: {
        provider: { name: 'openai', base_url: server.baseUrl, options: { token: 'k' } },
        model: { name: 'm', capabilities: { chat: {}, tools: { max_tokens: 9, tool_choice: 'auto' } } },
      },
      memory: { path: 'cmd/memory' },
      max_iterations: 10,
      system_prompt: 'Of the run.',
    }),
  });
  const { code, stdout, stderr } = await promptHere(['--config', 'kernel.json', 'hi'], { cwd });
  expect([code, stdout]).toEqual([0, 'hello\n']);
  expect(stderr).toContain('memory: the folder "cmd/memory" does not exist yet');
  expect(seen()).toMatchObject([
    {
      authorization: 'Bearer k',
      body: { model: 'm', max_tokens: 9, tool_choice: 'auto', messages: [{ content: 'Of the run.' }, {}] },
    },
  ]);
});

test('--agent chooses one of the agents of the file, and an unknown one is named with those that there are', async () => {
  verifies('cli.agent');
  const writer = {
    system_prompt: 'You write.',
    provider: { name: 'openai', base_url: server.baseUrl, options: { token: 'of-writer' } },
    model: { name: 'm2' },
  };
  const cwd = configured({ agents: { writer } });
  expect((await promptHere(['--agent', 'writer', '-protocol', 'chat', 'hi'], { cwd })).code).toBe(0);
  expect(seen()).toMatchObject([
    { authorization: 'Bearer of-writer', body: { model: 'm2', messages: [{ content: 'You write.' }, {}] } },
  ]);
  const unknown = await promptHere(['--agent', 'reader', 'hi'], { cwd });
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringMatching(/--agent: there is no agent "reader" in \S*config\.json; it has writer\.\n$/),
  ]);
  expect((await promptHere(['--agent', 'writer', 'hi'])).stderr).toContain('--agent needs a config file');
});
