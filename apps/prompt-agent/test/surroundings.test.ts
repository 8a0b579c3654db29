import { startWireServer, verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { OWN_CONFIG, promptHere, workspace } from './program.ts';

test.each([
  ['flags', (url: string) => ['--base-url', url], () => ({})],
  ['the environment', () => [], (url: string) => ({ AZURE_OPENAI_ENDPOINT: url })],
])('Azure works without a config file: address by %s, the deployment by --model', async (_, flags, env) => {
  verifies('cli.config.vendors');
  const server = await startWireServer({ wire: 'azure', token: 'k', replies: () => ({ text: 'hello' }) });
  onTestFinished(() => server.close());
  const args = ['--provider', 'azure', ...flags(server.url), '--model', 'my-deployment', '-protocol', 'chat', 'hi'];
  const { code, stdout, stderr } = await promptHere(args, { env: { AZURE_OPENAI_API_KEY: 'k', ...env(server.url) } });
  expect([code, stdout.split('\n')[0], stderr]).toMatchObject([0, 'Response: hello', expect.any(String)]);
  expect(server.requests.map(({ path }) => path)).toEqual([
    expect.stringMatching(/\/deployments\/my-deployment\/chat\/completions\?api-version=2024-10-21$/),
  ]);
  expect(server.requests[0]?.headers['api-key']).toBe('k');
});

test("the version of Azure's API is that of the environment, and a config file comes before both", async () => {
  verifies('cli.config.vendors');
  const server = await startWireServer({ wire: 'azure', replies: () => ({ text: 'hello' }) });
  onTestFinished(() => server.close());
  const env = { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: server.url, OPENAI_API_VERSION: '2025-01-01' };
  const args = ['--provider', 'azure', '--model', 'm', '-protocol', 'chat', 'hi'];
  await promptHere(args, { env });
  const options = { deployment: 'd', api_version: '2026-01-01', auth_type: 'bearer' };
  const cwd = workspace({ [OWN_CONFIG]: JSON.stringify({ provider: { name: 'azure', options } }) });
  await promptHere(args, { env, cwd });
  expect(server.requests.map(({ path }) => path)).toEqual([
    expect.stringContaining('/deployments/m/chat/completions?api-version=2025-01-01'),
    expect.stringContaining('/deployments/d/chat/completions?api-version=2026-01-01'),
  ]);
  expect(server.requests[1]?.headers['authorization']).toBe('Bearer k');
});

test.each([
  ['flags', (url: string) => ['--base-url', url], () => ({})],
  ['the environment', () => [], (url: string) => ({ AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url })],
])('Bedrock works without a config file: address by %s, region and key by the environment', async (_, flags, env) => {
  verifies('cli.config.vendors');
  const server = await startWireServer({ wire: 'bedrock', replies: () => ({ text: 'hello' }) });
  onTestFinished(() => server.close());
  const args = ['--provider', 'bedrock', ...flags(server.url), '--model', 'a.model', '-protocol', 'chat', 'hi'];
  const own = { AWS_REGION: 'eu-west-1', AWS_BEARER_TOKEN_BEDROCK: 'k' };
  const { code, stdout } = await promptHere(args, { env: { ...own, ...env(server.url) } });
  expect([code, stdout.split('\n')[0]]).toEqual([0, 'Response: hello']);
  expect(server.requests.map(({ path }) => path)).toEqual([expect.stringContaining('/model/a.model/converse')]);
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer k');
});

const NESTED = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
const DEEP = `{"agent":${NESTED}}`;

test.each([
  ['an array', '[1, 2]'],
  ['text', '"hello"'],
  ['null', 'null'],
  ['nothing', ''],
  ['not JSON', 'port = 8080'],
  ['bytes', Uint8Array.from({ length: 512 }, (_, index) => index % 256)],
  ['10 MB', `{"model":"${'x'.repeat(10_000_000)}"}`],
  ['a model of another library', '{"model_type":"bert","model":{"type":"bert","layers":12},"hidden_size":768}'],
  ['a text where a block belongs', '{"provider":"aws","client":"web","agent":"curl/8","memory":"512m","agents":3}'],
  ['a client of another program', '{"client":{"id":"x","timeout":"30 seconds"},"server":{"port":80}}'],
  ['a client with a near key', '{"client":{"timeout":"soon"}}'],
  ['a list of agents', '{"agents":[{"name":"a"}],"system_prompt":["x"]}'],
  ['variables of another program', '{"model":{"path":"${HOME}/m"},"server":{"secret":"${SECRET}"}}'],
  ['variables beside a known key', '{"model":{"name":"m"},"server":{"secret":"${SECRET}"}}'],
  ['deep nesting', DEEP],
  ['deep nesting in an option', `{"provider":{"name":"x","options":{"a":${NESTED}}}}`],
  ['__proto__', '{"__proto__":{"agent":{}},"constructor":1}'],
])('a config.json of another program never breaks a call: %s', async (_, content) => {
  verifies('cli.config.unrelated');
  const cwd = workspace({ 'config.json': content });
  const { code, stdout, stderr } = await promptHere(['2+2'], { cwd });
  expect([code, stdout, stderr]).toEqual([0, '4\n', expect.any(String)]);
  expect(stderr).not.toContain('SECRET');
});

test("a project's file that has a mistake is not used, with a note; --config and `config check` name the mistake", async () => {
  verifies('cli.config.unrelated');
  const cwd = workspace({ 'config.json': '{"provider":{"name":"openai"},"client":{"timeout":"soon"}}' });
  const { code, stdout, stderr } = await promptHere(['2+2'], { cwd });
  expect([code, stdout]).toEqual([0, '4\n']);
  expect(stderr).toMatch(/config: config\.json is not used: .*client\.timeout: expected a duration.*--config/);
  for (const args of [
    ['config', 'check'],
    ['--config', 'config.json', '2+2'],
  ]) {
    const named = await promptHere(args, { cwd });
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('client.timeout: expected a duration')]);
  }
});
