import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { link, OWN_CONFIG, workspace } from './program.ts';
import { atTerminal, cloned, REQUEST } from './project-config.support.ts';

let server: WireServer;
beforeEach(async () => {
  server = await startWireServer({ replies: () => ({ text: 'hello' }) });
});
afterEach(() => server.close());

const atServer = (extra: object = {}): object => ({
  provider: { name: 'openai', base_url: server.baseUrl, ...extra },
  model: { name: 'm' },
});

test('it is asked about once, shown with what it sets, and remembered by its content', async () => {
  verifies('cli.trust.project');
  const place = cloned({ ...atServer({ options: { token: 'secret-in-file' } }), system_prompt: 'Be\u001b[2J evil.' });
  const first = await atTerminal(place, 'y');
  expect(first.stdout).toContain('hello');
  expect(first.stderr).toContain(`provider: openai at ${server.baseUrl}`);
  expect(first.stderr).toContain('system prompt: Be\\x1b[2J evil.');
  expect(first.stderr).not.toContain('secret-in-file');
  expect(await atTerminal(place, 'n')).toMatchObject({ asked: 0, code: 0 });
  const list = join(place.home, '.local/state/prompt-agent/project-configs.json');
  expect(statSync(list).mode & 0o777).toBe(0o600);
  expect(readFileSync(list, 'utf8')).not.toContain('secret-in-file');
  writeFileSync(join(place.cwd, 'config.json'), JSON.stringify({ ...atServer(), system_prompt: 'Changed.' }));
  expect(await atTerminal(place, 'n', {}, ['2+2'])).toMatchObject({ asked: 1, stdout: '4\n' });
  expect(await atTerminal(place, 'y', {}, ['2+2'])).toMatchObject({ asked: 0, stdout: '4\n' });
  expect(server.requests).toHaveLength(2);
});

test.each(['no', '', 'yellow', 'n'])('the answer %j is no', async (answer) => {
  verifies('cli.trust.project');
  expect(await atTerminal(cloned(atServer()), answer, {}, ['2+2'])).toMatchObject({ asked: 1, stdout: '4\n' });
  expect(server.requests).toHaveLength(0);
});

test('a key of the environment is not sent to an address that a project gives, even if its file is approved', async () => {
  verifies('cli.trust.key');
  const env = { OPENAI_API_KEY: 'sk-of-the-user' };
  const { stderr } = await atTerminal(cloned(atServer()), 'y', env);
  expect(stderr).toContain('OPENAI_API_KEY is not sent: the address comes from config.json');
  expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([undefined]);
  expect(JSON.stringify(server.requests)).not.toContain('sk-of-the-user');
});

test('--token is not sent to an address that a project gives, even if its file is approved, and the error says how to send it', async () => {
  verifies('cli.trust.key');
  for (const more of [[], ['--provider', 'openai']]) {
    const { code, stderr } = await atTerminal(cloned(atServer()), 'y', {}, [
      '--token',
      'sk-of-the-user',
      ...more,
      ...REQUEST,
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /--token is not sent to the address that config\.json.*Give --base-url, or --config config\.json/,
    );
    expect(stderr).not.toContain('sk-of-the-user');
  }
  expect(server.requests).toHaveLength(0);
});

test('--token is sent where the user says: by a flag, by --config, or in the own file', async () => {
  verifies('cli.trust.key');
  const token = ['--token', 'sk-of-the-user', ...REQUEST];
  const place = cloned(atServer());
  await atTerminal(place, 'y', {}, ['--base-url', server.baseUrl, ...token]);
  await atTerminal(place, 'y', {}, ['--config', 'config.json', ...token]);
  const home = workspace({ [OWN_CONFIG]: JSON.stringify(atServer()) });
  await atTerminal({ cwd: workspace({ 'a.txt': '' }), home }, 'y', {}, token);
  expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual(
    Array.from({ length: 3 }, () => 'Bearer sk-of-the-user'),
  );
});

test('a key of the environment is sent where the user says: by a flag, by --config, or in the own file', async () => {
  verifies('cli.trust.key');
  const env = { OPENAI_API_KEY: 'sk-of-the-user' };
  const place = cloned(atServer());
  await atTerminal(place, 'y', env, ['--base-url', server.baseUrl, ...REQUEST]);
  await atTerminal(place, 'y', env, ['--config', 'config.json', ...REQUEST]);
  const home = workspace({ [OWN_CONFIG]: JSON.stringify(atServer()) });
  await atTerminal({ cwd: workspace({ 'a.txt': '' }), home }, 'y', env);
  expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual(
    Array.from({ length: 3 }, () => 'Bearer sk-of-the-user'),
  );
});

test.each([
  ['azure', { deployment: 'd', api_version: 'v', auth_type: 'managed_identity' }],
  ['bedrock', { region: 'us-east-1' }],
  ['bedrock', { region: 'us-east-1', auth_type: 'profile', profile: 'work' }],
])("credentials of the machine never go to an address of a project's file: %s %o", async (name, options) => {
  verifies('cli.trust.key');
  const place = cloned({ provider: { name, base_url: server.url, options }, model: { name: 'm' } });
  const { code, stderr } = await atTerminal(place, 'y');
  expect([code, stderr]).toMatchObject([2, expect.stringContaining('may not send the credentials of this machine')]);
  expect(server.requests).toHaveLength(0);
});

test('a variable that is made for this program is expanded, and an escaped one stays text', async () => {
  verifies('cli.trust.variables');
  const config = { ...atServer(), system_prompt: 'Of ${PROMPT_AGENT_TEAM}, not $${HOME}.' };
  await atTerminal(cloned(config), 'y', { PROMPT_AGENT_TEAM: 'ours' });
  expect(server.requests[0]?.body).toMatchObject({ messages: [{ content: 'Of ours, not ${HOME}.' }, {}] });
});

test("a project's memory stays inside the workspace, links followed", async () => {
  verifies('cli.trust.memory');
  const outside = workspace({ 'secret.md': 'the secret' });
  for (const path of ['..', outside, 'linked']) {
    const place = cloned({ ...atServer(), memory: { path } });
    link(place.cwd, 'linked', outside);
    const { code, stderr } = await atTerminal(place, 'y', {}, ['hi']);
    expect([code, stderr]).toMatchObject([2, expect.stringContaining('leads outside the workspace')]);
  }
  expect(server.requests).toHaveLength(0);
});

test('a note that is a link out of the memory folder is left out, whoever named the folder', async () => {
  verifies('cli.trust.memory');
  const outside = workspace({ 'secret.md': 'the secret' });
  const place = cloned({ ...atServer(), memory: { path: 'notes' } }, { 'notes/a.md': 'Likes tea.' });
  link(place.cwd, 'notes/b.md', join(outside, 'secret.md'));
  await atTerminal(place, 'y', {}, ['hi']);
  await atTerminal(place, 'y', {}, ['--memory', 'notes', 'hi']);
  const prompts = server.requests.map(({ body }) => JSON.stringify(body));
  expect(prompts).toHaveLength(2);
  for (const text of prompts) {
    expect(text).toContain('Likes tea.');
    expect(text).not.toContain('the secret');
  }
});

test('what the notes of a memory folder leave out is named to the model and to the user', async () => {
  verifies('cli.trust.memory');
  const place = cloned(atServer(), {
    'notes/a.md': 'Likes tea.',
    'notes/b.rst': 'not read',
    'notes/c/d.md': 'not read',
    'notes/e.md': 'é'.repeat(40_000),
    'notes/f.txt': Buffer.from('\uFEFFsays grün', 'utf16le'),
    'notes/g.txt': Uint8Array.of(0, 1, 2, 3, 0, 0),
  });
  const { stderr } = await atTerminal(place, 'y', {}, ['--memory', 'notes', 'hi']);
  const leftOut =
    'Left out: "b.rst" (neither .md nor .txt), "c" (a folder), the rest of "e.md" (more than 64 KiB in all), "f.txt" (more than 64 KiB in all), "g.txt" (not text).';
  expect(stderr).toContain(`memory notes: ${leftOut}`);
  const sent = JSON.stringify(server.requests.at(-1)?.body);
  expect(sent).toContain(JSON.stringify(leftOut).slice(1, -1));
  expect(sent).toContain('Likes tea.');
  const small = cloned(atServer(), { 'notes/f.txt': Buffer.from('\uFEFFsays grün', 'utf16le') });
  await atTerminal(small, 'y', {}, ['--memory', 'notes', 'hi']);
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('says grün');
});

test("a key of the environment goes to the address of the environment, also for a project's file without an address", async () => {
  verifies('cli.trust.key', 'providers.environment');
  const place = cloned({ provider: { name: 'openai' }, model: { name: 'm' } });
  const env = { OPENAI_API_KEY: 'sk-of-the-user', OPENAI_BASE_URL: server.baseUrl };
  expect(await atTerminal(place, 'y', env)).toMatchObject({ code: 0 });
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer sk-of-the-user');
});

test("a memory folder of a project's file shows nothing that usually holds credentials", async () => {
  verifies('cli.trust.memory');
  const place = cloned({ ...atServer(), memory: { path: '.' } }, { '.env': 'KEY=private', 'keys/id_rsa': 'private' });
  writeFileSync(join(place.cwd, 'note.md'), 'Likes tea.');
  link(place.cwd, 'a.md', '.env');
  link(place.cwd, 'b.txt', 'keys/id_rsa');
  await atTerminal(place, 'y', {}, ['hi']);
  expect(JSON.stringify(server.requests)).toContain('Likes tea.');
  expect(JSON.stringify(server.requests)).not.toContain('private');
  const hidden = cloned({ ...atServer(), memory: { path: '.ssh' } }, { '.ssh/note.txt': 'private' });
  const { code, stderr } = await atTerminal(hidden, 'y', {}, ['hi']);
  expect(code).toBe(2);
  expect(stderr).toContain('leads to what may hold credentials');
});

test('the question shows the whole origin of each provider, and invisible characters', async () => {
  verifies('cli.trust.project');
  const base_url = `https://api.openai.com.${'a'.repeat(60)}.${'b'.repeat(60)}.evil.example/v1`;
  const agents = { other: { provider: { name: 'openai', base_url: 'https://other.example/v1' } } };
  const place = cloned({ provider: { name: 'openai', base_url }, agents, system_prompt: 'Be\u200bgood.' });
  const { stderr } = await atTerminal(place, 'n', {}, ['2+2']);
  expect(stderr.replaceAll('\n│ ', '')).toContain(base_url);
  expect(stderr).toContain('agent other: openai at https://other.example/v1');
  expect(stderr).toContain(String.raw`Be\u200bgood.`);
});
