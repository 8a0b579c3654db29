import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DEFAULT_CONFIG } from '@kernel/agent/config';
import { createProviders } from '@kernel/providers';
import { startWireServer, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { openStoredKeys } from '../src/credentials/stored-keys.ts';
import { DEFAULT_MODELS, DEFAULT_MODELS_READ } from '../src/model/default-models.ts';
import { findModelSources } from '../src/model/model-sources.ts';
import { VENDORS } from '../src/model/vendors.ts';
import { OWN_CONFIG, promptHere, workspace } from './program.ts';
import { fakeTerminal, promptAt } from './terminals.ts';

describe('tools', () => {
  test('list, show and price name the tools that a run would have', async () => {
    verifies('cli.commands.tools');
    const listed = await promptHere(['tools', 'list', '--bundle', 'code_agent']);
    expect(listed.stdout).toMatch(/^calculate +read +Evaluates/m);
    expect(listed.stdout).toMatch(/^edit_file +write +/m);
    const json = JSON.parse((await promptHere(['tools', 'list', '--json'])).stdout) as { name: string }[];
    expect(json.map(({ name }) => name)).toContain('read_file');
    const shown = await promptHere(['tools', 'show', 'calculate']);
    expect(shown.stdout).toMatch(/^calculate \(read\)\n.*\n\nArguments:\n\{/);
    const priced = JSON.parse((await promptHere(['tools', 'price', '--json', '--price', '1,2'])).stdout) as {
      name: string;
      tokens: number;
      costOf1000Requests: number;
    }[];
    const together = priced.at(-1);
    expect(together?.tokens).toBe(priced.slice(0, -1).reduce((sum, { tokens }) => sum + tokens, 0));
    expect(together?.costOf1000Requests).toBeCloseTo((together?.tokens ?? 0) / 1000);
  });

  test('call runs a tool with arguments from the command line or stdin, checked as in a run', async () => {
    verifies('cli.commands.tools.call');
    expect((await promptHere(['tools', 'call', 'calculate', '{"expression":"6*7"}'])).stdout).toBe('42\n');
    expect((await promptHere(['tools', 'call', 'calculate'], { input: '{"expression":"2+2"}' })).stdout).toBe('4\n');
    const wrong = await promptHere(['tools', 'call', 'calculate', '{"expresion":1}']);
    expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining('expression')]);
    const json = await promptHere(['tools', 'call', 'calculate', '{"expression":"1"}', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ forLLM: '1' });
  });

  test('call of a tool that writes needs a rule where nobody can be asked, and exits 4 without', async () => {
    verifies('cli.commands.tools.call');
    const cwd = workspace();
    const args = ['tools', 'call', '--bundle', 'code_agent', 'write_file', '{"path":"new.txt","content":"x"}'];
    const refused = await promptHere(args, { cwd });
    expect([refused.code, existsSync(join(cwd, 'new.txt'))]).toEqual([4, false]);
    expect(refused.stderr).toContain('--allow');
    const json = await promptHere([...args, '--json'], { cwd });
    expect([json.code, JSON.parse(json.stdout)]).toEqual([4, expect.objectContaining({ code: 'TOOL_DENIED' })]);
    expect((await promptHere([...args, '--allow', 'write_file(*.txt)'], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('x');
  });

  test.each([
    [['tools', 'list', '--bundle', 'code_agnt'], '--bundle "code_agnt"'],
    [['tools', 'call', '--bundle', 'code_agent', '--mode', 'readonly', 'write_file', '{}'], '--mode "readonly"'],
    [['tools', 'call', '--bundle', 'code_agent', '--yes', 'wirte', 'write_file', '{}'], '--yes "wirte"'],
    [['tools', 'call', '--bundle', 'code_agent', '--sandbox', 'require', 'run_command', '{}'], '--sandbox "require"'],
    [['tools', 'list', '--tools', './tools.ts'], '--tools needs --execute'],
    [['serve', 'mcp', '--bundle', 'code_agent', '--mode', 'readonly'], '--mode "readonly"'],
    [['serve', 'http', '--bundle', 'code_agent', '--mode', 'readonly'], '--mode "readonly"'],
    [['serve', 'http', '--max-turns', '-3'], '--max-turns "-3"'],
    [['chat', '--max-turns', '1.5'], '--max-turns "1.5"'],
  ])('%j is a usage error: a mistyped limit is not one that is left out', async (args, named) => {
    verifies('cli.commands.checks');
    const { code, stdout, stderr } = await promptHere(args, { input: '' });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(named);
  });

  test('lint names the wire, the tool and the keyword; grammar is a grammar', async () => {
    verifies('cli.commands.tools');
    const { code, stdout } = await promptHere(['tools', 'lint']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^gemini: calculate: minLength is moved/m);
    expect((await promptHere(['tools', 'grammar'])).stdout).toMatch(/^root ::= /);
  });

  test.each([
    [['tools', 'show', 'calculat'], 'Did you mean calculate?'],
    [['tools', 'call'], 'There is no tool ""'],
    [['tools'], 'tools needs one of: list, show, call, lint, price, grammar'],
    [['tools', 'list', 'more'], 'tools list takes no argument, not "more"'],
    [['tools', 'list', '--stream'], '--stream has no effect on tools list'],
  ])('%j exits 2', async (args, named) => {
    verifies('cli.commands.tools');
    const { code, stderr } = await promptHere(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(named)]);
  });
});

describe('keys', () => {
  const KEY = 'sk-test-0123456789abcdefghij';

  test('set keeps a key from stdin in a 0600 file, which a prompt uses and nothing prints; rm forgets it', async () => {
    verifies('cli.keys');
    const server = await startWireServer({ token: KEY, replies: () => ({ text: 'ok' }) });
    try {
      const cwd = workspace();
      const set = await promptHere(['keys', 'set', 'openai'], { cwd, input: `${KEY}\n` });
      expect([set.code, set.stdout]).toEqual([0, '']);
      const file = join(cwd, '.config/prompt-agent/keys.json');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const listed = await promptHere(['keys', 'list'], { cwd });
      expect(listed.stdout).toBe(`openai  ${file}\n`);
      const asked = await promptHere(['--base-url', server.baseUrl, '-m', 'm', 'hi'], { cwd });
      expect([asked.code, asked.stdout]).toEqual([0, 'ok\n']);
      for (const { stdout, stderr } of [set, listed, asked]) expect(stdout + stderr).not.toContain(KEY);
      const removed = await promptHere(['keys', 'rm', 'openai', '--json'], { cwd });
      expect([removed.code, JSON.parse(removed.stdout)]).toEqual([0, { removed: 'openai' }]);
      expect((await promptHere(['keys', 'list'], { cwd })).stdout).toBe('');
      expect((await promptHere(['keys', 'rm', 'openai'], { cwd })).code).toBe(2);
    } finally {
      await server.close();
    }
  });

  test('a key is asked for once the terminal shows no keys any more, so that one pasted at once is not seen either', async () => {
    verifies('cli.keys');
    const cwd = workspace();
    const terminal = fakeTerminal();
    let isRaw = false;
    const wasRaw: boolean[] = [];
    Object.assign(terminal.stdin, { setRawMode: (next: boolean) => void (isRaw = next) });
    terminal.host.stderr.on('data', (text: string) => {
      if (!text.includes('not shown')) return;
      wasRaw.push(isRaw);
      terminal.stdin.write(`${KEY}\r`);
    });
    expect(await promptAt(terminal, ['keys', 'set', 'openai'], { cwd })).toBe(0);
    expect([wasRaw, isRaw]).toEqual([[true], false]);
    expect(readFileSync(join(cwd, '.config/prompt-agent/keys.json'), 'utf8')).toContain(KEY);
    expect(terminal.raw()).not.toContain(KEY);
  });

  test.each([
    [['keys', 'set', 'opnai'], KEY, 'one of anthropic'],
    [['keys', 'set', 'openai'], ' \n', 'got no key'],
    [['keys', 'set', 'openai'], 'two words', 'no white space'],
  ])('%j with %j on stdin exits 2', async (args, input, named) => {
    verifies('cli.keys');
    const { code, stderr } = await promptHere(args, { input });
    expect([code, stderr]).toEqual([2, expect.stringContaining(named)]);
  });
});

describe('config and doctor', () => {
  test('config show says where each value is from, path what is there, check the first mistake', async () => {
    verifies('cli.config.commands');
    const token = 'sk-test-0123456789abcdefghij';
    const config = { provider: { name: 'openai', options: { token } }, model: { name: 'm' } };
    const cwd = workspace({ [OWN_CONFIG]: JSON.stringify(config) });
    const own = join(cwd, OWN_CONFIG);
    const { stdout } = await promptHere(['config', 'show', '--json', '--memory', 'notes'], { cwd });
    const settings = JSON.parse(stdout) as { name: string; value: string; from: string }[];
    expect(settings).toEqual(
      expect.arrayContaining([
        { name: 'provider', value: 'openai', from: own },
        { name: 'model', value: 'm', from: own },
        { name: 'key', value: 'set', from: own },
        { name: 'memory', value: 'notes', from: '--memory' },
      ]),
    );
    expect(stdout).not.toContain(token);
    expect((await promptHere(['config', 'path'], { cwd })).stdout).toContain(
      `your own config            there   ${own}`,
    );
    expect((await promptHere(['config', 'check'], { cwd })).stdout).toBe(`${own}: no mistakes\n`);
    writeFileSync(own, '{"model": {"name": 5}}');
    const wrong = await promptHere(['config', 'check'], { cwd });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('model.name')]);
  });

  test('doctor says what was found and refused, and exits 1 only for what stands in the way', async () => {
    verifies('cli.doctor');
    const cwd = workspace();
    const { code, stdout } = await promptHere(['doctor'], {
      cwd,
      env: { ANTHROPIC_API_KEY: 'sk-ant-test-0123456789abcdef', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\+ key of anthropic +ANTHROPIC_API_KEY\n/);
    expect(stdout).toMatch(/- key of openai +OPENAI_API_KEY is not set\n/);
    expect(stdout).toMatch(/\+ a prompt goes to +anthropic\/\S+ \(ANTHROPIC_API_KEY\)\n/);
    expect(stdout).not.toContain('sk-ant-test');
    mkdirSync(join(cwd, '.config/prompt-agent'), { recursive: true });
    writeFileSync(join(cwd, OWN_CONFIG), '{');
    const broken = await promptHere(['doctor'], { cwd });
    expect([broken.code, broken.stdout]).toEqual([1, expect.stringContaining('! config in use')]);
  });

  test('doctor names a state folder that cannot be written', async () => {
    verifies('cli.doctor');
    const cwd = workspace({ state: 'a file' });
    const { code, stdout } = await promptHere(['doctor'], { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } });
    expect([code, stdout]).toEqual([1, expect.stringContaining('! state')]);
  });
});

describe('the default models', () => {
  async function withList(names: readonly string[], work: (url: string) => Promise<void>): Promise<void> {
    const server = createServer((_, response) => response.end(JSON.stringify({ data: names.map((id) => ({ id })) })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.close();
    }
  }
  const chat = DEFAULT_MODELS.get('openai')?.chat?.name ?? '';

  test('are dated facts with their source, of vendors that there are', () => {
    verifies('cli.models.defaults');
    for (const [vendor, models] of DEFAULT_MODELS) {
      expect(VENDORS.has(vendor)).toBe(true);
      for (const { name, released, source } of Object.values(models)) {
        expect(name).toMatch(/^[a-z0-9.-]+$/);
        expect(released).toMatch(/^20\d\d-\d\d-\d\d$/);
        expect(released <= DEFAULT_MODELS_READ).toBe(true);
        expect(new URL(source).protocol).toBe('https:');
      }
    }
    const chosen = [...VENDORS].flatMap(([name, { isChosenByKey }]) => (isChosenByKey === true ? [name] : []));
    for (const name of chosen) expect(DEFAULT_MODELS.get(name)?.chat).toBeDefined();
  });

  test('are marked in the list of models, and named in its JSON', async () => {
    verifies('cli.models.defaults');
    await withList(['a-model', chat], async (url) => {
      const env = { OPENAI_API_KEY: 'good-key-0123456789', OPENAI_BASE_URL: url, PROMPT_AGENT_SERVERS: '' };
      const { stdout } = await promptHere(['models'], { env });
      expect(stdout).toBe(`openai/a-model\nopenai/${chat}  (default, as of ${DEFAULT_MODELS_READ})\n`);
      const json = await promptHere(['models', '--json'], { env });
      expect(JSON.parse(json.stdout)).toMatchObject([{ provider: 'openai', defaults: [chat] }]);
    });
  });

  test.each([
    [[chat], [], 0, `+ default of openai`],
    [['a-model'], [], 1, '! default of openai'],
    [['a-model'], ['--model', 'a-model'], 0, '- default of openai'],
  ])('are looked for by doctor in the list of the vendor: %j, %j', async (names, args, code, line) => {
    verifies('cli.doctor.defaults');
    await withList(names, async (url) => {
      const env = { OPENAI_API_KEY: 'good-key-0123456789', OPENAI_BASE_URL: url };
      const found = await promptHere(['doctor', ...args], { env });
      expect([found.code, found.stdout]).toEqual([code, expect.stringContaining(line)]);
      expect(found.stdout.includes(`no longer lists ${chat}`)).toBe(names[0] !== chat);
    });
  });

  test('are not looked for in the list of a server on this machine, whatever API it speaks', async () => {
    verifies('cli.doctor.defaults');
    await withList([chat], (vendor) =>
      withList([], (local) =>
        withList([chat], async (other) => {
          const servers = { PROMPT_AGENT_SERVERS: `${local},http://127.0.0.1:1,${other}` };
          const env = { OPENAI_API_KEY: 'good-key-0123456789', OPENAI_BASE_URL: vendor, ...servers };
          const { code, stdout } = await promptHere(['doctor'], { env });
          expect([code, stdout.match(/default of .*/g)]).toEqual([
            0,
            [expect.stringMatching(`^default of openai +${chat}`)],
          ]);
          const listed = await promptHere(['models'], { env });
          expect(listed.stdout).toBe(`openai/${chat}  (default, as of ${DEFAULT_MODELS_READ})\nopenai/${chat}\n`);
        }),
      ),
    );
  });

  test('whose list cannot be read stand in no way', async () => {
    verifies('cli.doctor.defaults');
    const env = { OPENAI_API_KEY: 'good-key-0123456789', OPENAI_BASE_URL: 'http://127.0.0.1:1' };
    const { code, stdout } = await promptHere(['doctor'], { env });
    expect([code, stdout]).toEqual([0, expect.stringContaining('its list could not be read')]);
    expect(stdout).not.toContain('good-key');
  });
});

test('models sends a key to no address but its own, lists by kept keys, and shows no part of a key', async () => {
  verifies('cli.commands.models');
  const seen: IncomingMessage['headers'][] = [];
  const server = createServer(({ headers }, response) => {
    seen.push(headers);
    response.end(JSON.stringify({ data: [{ id: 'a-model' }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  try {
    const env = { ANTHROPIC_API_KEY: 'anthropic-key', GEMINI_API_KEY: 'gemini-key' };
    const cwd = workspace({ key: 'file-key' });
    const found = await promptHere(['models', '--base-url', url, '--token-file', 'key'], { cwd, env });
    expect(found.stdout).toBe('openai/a-model\n');
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer file-key']);
    expect(JSON.stringify(seen)).not.toMatch(/anthropic-key|gemini-key/);
    await promptHere(['keys', 'set', 'openai'], { cwd, input: 'kept-key' });
    await promptHere(['models'], { cwd, env: { OPENAI_BASE_URL: url } });
    expect(seen.at(-1)?.authorization).toBe('Bearer kept-key');
    for (const key of ['sk-abc\ndef-secret', 'sk-“abc”-secret']) {
      const broken = await promptHere(['models'], { env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } });
      expect(broken.stderr).toContain('openai: the key contains a character that no header can carry');
      expect(broken.stdout + broken.stderr).not.toContain('secret');
    }
  } finally {
    server.close();
  }
});

test.each([
  ['groq', '/openai/v1', '/openai/v1/models', { data: [{ id: 'a-model' }] }],
  ['deepseek', '', '/v1/models', { data: [{ id: 'a-model' }] }],
  ['together', '/v1', '/v1/models', [{ id: 'a-model' }]],
  ['openrouter', '/api/v1', '/api/v1/models', { data: [{ id: 'a-model' }] }],
  ['vllm', '/v1', '/v1/models', { data: [{ id: 'a-model' }] }],
])('models lists those of %s', async (provider, path, asked, body) => {
  verifies('cli.commands.models.vendors');
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url);
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  try {
    const found = await promptHere([
      'models',
      '--provider',
      provider,
      '--base-url',
      url,
      '--token',
      'a-key-0123456789',
    ]);
    expect([found.code, found.stdout, seen]).toEqual([0, `${provider}/a-model\n`, [asked]]);
  } finally {
    server.close();
  }
});

test('every provider is in the table of vendors, with a key that the README names, or runs on a machine of one’s own', () => {
  verifies('cli.commands.models.vendors');
  const own = new Set(['llamacpp', 'lmstudio', 'ollama', 'vllm']);
  const missing = createProviders().names.filter((name) => !own.has(name) && !VENDORS.has(name));
  expect(missing, 'add these to VENDORS of src/model/vendors.ts').toEqual([]);
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const unnamed = [...VENDORS.values()].flatMap(({ keys }) => keys).filter((key) => !readme.includes(`\`${key}\``));
  expect(unnamed, 'add these to the table of README.md').toEqual([]);
});

test('the models of a vendor are listed at the address of its API', async () => {
  verifies('cli.commands.models.vendors');
  const loaded = { config: DEFAULT_CONFIG, origin: 'user', hasProvider: false, hasRetry: false, warnings: [] } as const;
  const keys = { GROQ_API_KEY: 'k', OPENROUTER_API_KEY: 'k', XAI_API_KEY: 'k', AZURE_OPENAI_API_KEY: 'k' };
  const stored = await openStoredKeys(
    { env: {}, home: workspace() },
    { alert: () => undefined },
    new AbortController().signal,
  );
  const sources = await findModelSources({}, loaded, { env: { ...keys, PROMPT_AGENT_SERVERS: '' } }, stored, () => {});
  expect(sources.map(({ provider, baseUrl }) => [provider, baseUrl])).toEqual([
    ['openrouter', 'https://openrouter.ai/api'],
    ['groq', 'https://api.groq.com/openai'],
    ['xai', 'https://api.x.ai'],
  ]);
});

test.each([
  ['bedrock', 'its API has no list of models'],
  ['azure', 'its API has no list of models'],
  ['groq', 'Set GROQ_API_KEY, or keep one with prompt-agent keys set groq.'],
  ['vllm', 'Give its address with --base-url URL.'],
  ['offline', 'it has no models'],
  ['grok', 'groq'],
])('models of %s, which cannot be listed, say what to do', async (provider, said) => {
  verifies('cli.commands.models.vendors');
  const { code, stderr } = await promptHere(['models', '--provider', provider]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
});

test('a keyring that does not give its key is an error, not a request without a key', async () => {
  verifies('cli.keys');
  const server = await startWireServer({ replies: () => ({ text: 'ok' }) });
  try {
    const cwd = workspace({ '.config/prompt-agent/keys.json': '{"openai":{"keyring":"Secret Service"}}' });
    const { code, stderr } = await promptHere(['--base-url', server.baseUrl, '-m', 'm', 'hi'], { cwd });
    expect([code, server.requests.length]).toEqual([2, 0]);
    expect(stderr).toContain('The key of openai is in the keyring (Secret Service), which does not give it.');
  } finally {
    await server.close();
  }
});

test.each(['a.txt/tape.json', 'src', '/proc/none/tape.json'])(
  '--record to %s is refused before anything is asked',
  async (file) => {
    verifies('cli.record.writable');
    const server = await startWireServer({ replies: () => ({ text: 'ok' }) });
    try {
      const cwd = workspace({ 'a.txt': 'x', 'src/b.txt': 'x' });
      const { code, stderr } = await promptHere(['--base-url', server.baseUrl, '-m', 'm', '--record', file, 'hi'], {
        cwd,
      });
      expect([code, server.requests.length]).toEqual([2, 0]);
      expect(stderr).toContain(`--record: "${file}" cannot be written`);
    } finally {
      await server.close();
    }
  },
);

test('embed and transcribe are the raw calls of their protocols', async () => {
  verifies('cli.commands.raw');
  const server = await startWireServer({ replies: () => ({ embeddings: [[1, 2]] }) as never });
  try {
    const cwd = workspace({ 'a.mp3': 'ID3' });
    const { requests } = server;
    await promptHere(['embed', '--base-url', server.baseUrl, '-m', 'm', 'a sentence'], { cwd });
    expect([requests.at(-1)?.path, requests.at(-1)?.body]).toEqual([
      expect.stringContaining('/embeddings'),
      expect.objectContaining({ input: 'a sentence' }),
    ]);
    await promptHere(['transcribe', '--base-url', server.baseUrl, '-m', 'm', 'a.mp3'], { cwd });
    expect(requests.at(-1)?.path).toContain('/audio/transcriptions');
    expect((await promptHere(['transcribe'], { cwd })).code).toBe(2);
  } finally {
    await server.close();
  }
});

test('replay asks again what was recorded, without a server', async () => {
  verifies('cli.commands.replay');
  const cwd = workspace();
  const server = await startWireServer({
    replies: [{ calls: [{ id: 'c1', name: 'calculate', arguments: { expression: '6*7' } }] }, { text: 'It is 42.' }],
  });
  const recorded = await promptHere(['--base-url', server.baseUrl, '-m', 'm', '--record', 'tape.json', '6 times 7?'], {
    cwd,
  });
  expect(recorded.stdout).toBe('It is 42.\n');
  await server.close();
  const { code, stdout, stderr } = await promptHere(['replay', 'tape.json'], { cwd });
  expect([code, stdout]).toEqual([0, 'It is 42.\n']);
  expect(stderr).toContain('tool: calculate {"expression":"6*7"}');
  const wrong = await promptHere(['replay', 'notes.md'], { cwd });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--record FILE')]);
  const other = await promptHere(['--replay', 'tape.json', 'something else?'], { cwd });
  expect(other.code).toBe(1);
  expect(other.stderr).toContain('Record it again with --record FILE, or ask the same as before, with the same flags.');
  expect(wrong.stderr + other.stderr).not.toContain('withRecorder');
});

test('a folder that cannot be read is an error that names it', async () => {
  verifies('cli.unreadable');
  const cwd = workspace({ 'closed/a.txt': 'x' });
  chmodSync(join(cwd, 'closed'), 0);
  // The superuser may read everything, and offline cannot answer.
  const [expected, named] = process.getuid?.() === 0 ? [3, 'Offline'] : [2, 'closed'];
  try {
    const { code, stderr } = await promptHere(['-f', 'closed', 'x'], { cwd });
    expect([code, stderr]).toEqual([expected, expect.stringContaining(named)]);
  } finally {
    chmodSync(join(cwd, 'closed'), 0o700);
  }
});
