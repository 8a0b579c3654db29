import { startWireServer, verifies, type WireServer, type WireServerOptions } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type Outcome, OWN_CONFIG, prompt, promptHere, type Start, workspace } from './program.ts';

const ONE_ATTEMPT = { [OWN_CONFIG]: '{"client":{"retry":{"max_retries":0}}}' };
const USAGE = { inputTokens: 10, outputTokens: 5 };

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

test.each([
  ['whole', []],
  ['streamed', ['--stream']],
])('a tool conversation of two turns ends in the answer (%s)', async (_, flags) => {
  verifies('cli.run.output', 'cli.wiring', 'cli.exit');
  const replies = [
    { calls: [{ id: 'c1', name: 'read_file', arguments: { path: 'notes.md' } }], usage: USAGE },
    { text: 'It has two lines.', usage: USAGE },
  ];
  await withServer({ replies }, async (server, ask) => {
    const { code, stdout, stderr } = await ask([...flags, 'how long is notes.md?']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'It has two lines.\n' });
    expect(stderr).toMatch(
      /^model: openai\/m at http:\/\/127\.0\.0\.1:\d+ \(--base-url\)\ntool: read_file \{"path":"notes\.md"\} \d+ ms ok\ntokens: 20 in \+ 10 out = 30 in 2 turns\n$/,
    );
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'c1' }] },
        { role: 'tool', tool_call_id: 'c1', content: '# Notes\nsecond line\n' },
      ],
    });
    expect(JSON.stringify(server.requests[1]?.body).includes('"stream":true')).toBe(flags.length > 0);
    const body = server.requests[0]?.body as { tools: { function: Record<string, unknown> }[] };
    expect(body.tools.map((tool) => tool.function['name'])).toEqual([
      'datetime',
      'calculate',
      'convert_units',
      'inspect_text',
      'read_file',
      'list_directory',
      'glob',
      'search_text',
    ]);
    expect(JSON.stringify(body)).not.toMatch(/usageHint|metadata/);
  });
});

test('a refused key exits 7, and no output shows the key, however it was given', async () => {
  verifies('cli.safe', 'cli.exit');
  const key = 'sk-very-secret-key';
  await withServer({ token: 'another' }, async (_, ask) => {
    for (const start of [{ flags: ['--token', key] }, { flags: [], env: { OPENAI_API_KEY: key } }]) {
      const { code, stdout, stderr } = await ask(
        [...start.flags, '--json', '--verbose', 'hi'],
        start.env === undefined ? {} : { env: start.env },
      );
      expect(code).toBe(7);
      expect(stderr).toContain('401');
      expect(stdout + stderr).not.toContain(key);
    }
  });
});

test('a model that repeats the key, even in pieces, does not bring it to the screen', async () => {
  verifies('cli.safe');
  const key = 'sk-very-secret-key';
  const cwd = workspace({ '.env': `OPENAI_API_KEY=${key}\n` });
  const replies = [
    { calls: [{ id: 'a', name: 'read_file', arguments: { path: '.env' } }] },
    { text: `it is ${key}, yes`, pieces: 9 },
  ];
  for (const flag of ['--stream', '--json', '--json-lines']) {
    await withServer({ replies }, async (_, ask) => {
      const { stdout, stderr } = await ask([flag, '--verbose', '--token', key, 'hi'], { cwd });
      expect(stdout).toContain('it is');
      expect(stdout + stderr).not.toContain(key);
      const pieces = [...stdout.matchAll(/"text-delta","text":"([^"]*)"/g)].map(([, text]) => text).join('');
      expect(pieces).not.toContain(key);
    });
  }
});

test('what a model says and calls cannot control the terminal, streamed or whole', async () => {
  verifies('cli.safe');
  const evil = '\u001b[31mred\u009b0m\u0007\u202eb';
  const replies = [
    { calls: [{ id: 'a', name: 'read_file', arguments: { path: evil } }] },
    { text: `it is ${evil}`, pieces: 5 },
  ];
  for (const flags of [[], ['--stream']]) {
    await withServer({ replies }, async (_, ask) => {
      const { code, stdout, stderr } = await ask([...flags, '--verbose', 'hi']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'it is \\x1b[31mred\\x9b0m\\x07\\u202eb\n' });
      // oxlint-disable-next-line no-control-regex -- they are what must not be there
      expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    });
  }
});

test('a stream that is cut in the middle of arguments runs no tool and exits 1', async () => {
  verifies('cli.exit');
  const call = { id: 'c1', name: 'read_file', arguments: { path: 'notes.md' } };
  for (const cutAfter of [250, 400, 500]) {
    await withServer({ replies: [{ calls: [call], pieces: 4, fault: { cutAfter } }] }, async (server, ask) => {
      const { code, stdout, stderr } = await ask(['--stream', 'read it'], { cwd: workspace(ONE_ATTEMPT) });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).not.toContain('tool:');
      expect(server.requests).toHaveLength(1);
    });
  }
});

test('arguments that are no JSON come back to the model, and the run goes on', async () => {
  const replies = [{ calls: [{ id: 'c1', name: 'read_file', arguments: '{"path": ' }] }, { text: 'sorry' }];
  await withServer({ replies }, async (server, ask) => {
    const { code, stdout, stderr } = await ask(['hi']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'sorry\n' });
    expect(stderr).toContain('failed: the arguments of "read_file" are not valid JSON');
    expect(JSON.stringify(server.requests[1]?.body)).toContain('ARGUMENTS_INVALID');
  });
});

test("the flags of the Go kernel's second program are taken in agent mode", async () => {
  verifies('cli.run', 'config.run');
  const cwd = workspace({
    'notes/a.md': 'Likes tea.',
    'notes/b.bin': 'no',
    [OWN_CONFIG]: '{"max_iterations": 1, "system_prompt": "Be brief."}',
  });
  const call = { calls: [{ id: 'c1', name: 'calculate', arguments: { expression: '1+1' } }] };
  await withServer({ replies: () => call }, async (server, ask) => {
    const kept = await ask(['-max-iterations', '-1', '-memory', 'notes', '-log', '-verbose', 'hi'], { cwd });
    expect(kept.code).toBe(5);
    expect(kept.stderr).toContain('[1] calculate({"expression":"1+1"}): 2\nIterations: 1\n');
    expect(server.requests[0]?.body).toMatchObject({
      messages: [
        {
          role: 'system',
          content: 'Be brief.\n\n# Memory\n## a.md\nLikes tea.\n\nLeft out: "b.bin" (neither .md nor .txt).',
        },
        { role: 'user' },
      ],
    });
    expect((await ask(['-max-iterations=3', '-log', 'hi'], { cwd })).stderr).toContain('Iterations: 3\n');
  });
  let asked = 0;
  const thirty = () =>
    (asked += 1) <= 30 ? { calls: [{ name: 'calculate', arguments: { expression: `1+${asked}` } }] } : { text: 'done' };
  await withServer({ replies: thirty }, async (_, ask) => {
    const unlimited = await ask(['-max-iterations', '0', '-log', 'hi'], { cwd });
    expect([unlimited.code, unlimited.stdout]).toEqual([0, 'done\n']);
    expect(unlimited.stderr).toContain('Iterations: 31\n');
  });
  expect((await promptHere(['--memory', 'none', '2+2'], { cwd })).code).toBe(2);
  expect((await promptHere(['--max-iterations', 'x', '2+2'], { cwd })).code).toBe(2);
});

test('a key that a server repeats in small pieces is not in the events of --json-lines, raw calls included', async () => {
  verifies('secrets.fragments');
  const token = 'of-the-user-1234567890-abcdefghij';
  await withServer({ replies: () => ({ text: `It is ${token}.`, pieces: 12 }) }, async (_, ask) => {
    for (const raw of [['-protocol', 'chat'], []]) {
      const { stdout } = await ask(['--token', token, '--stream', '--json-lines', ...raw, 'hi']);
      const deltas = stdout.split('\n').filter((line) => line.includes('text-delta'));
      const shown = deltas.map((line) => /"text":"([^"]*)"/.exec(line)?.[1] ?? '').join('');
      expect(shown).toBe('It is [redacted].');
    }
  });
});

test('the sources of an answer are notes, each once, and in the object of --json', async () => {
  verifies('cli.sources');
  const annotation = { type: 'url_citation', url_citation: { url: 'https://a.test/\u001B[2J', title: 'A\npage' } };
  const message = { role: 'assistant', content: 'It is so.', annotations: [annotation, annotation] };
  const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
  const reply = { headers: { 'content-type': 'application/json' }, chunks: [body] };
  await withServer({ replies: [reply, reply, reply] }, async (_, ask) => {
    const plain = await ask(['is it so?']);
    expect(plain.stdout).toBe('It is so.\n');
    expect(plain.stderr.split('\n').filter((line) => line.startsWith('source:'))).toHaveLength(1);
    expect(plain.stderr).toContain('source: A');
    expect(plain.stderr).not.toContain('\u001B[2J');
    const json = await ask(['--json', 'is it so?']);
    expect(JSON.parse(json.stdout)).toMatchObject({ answer: 'It is so.', sources: [{ title: 'A\npage' }] });
    expect((await ask(['-protocol', 'chat', 'is it so?'])).stderr).toContain('source: A');
  });
});
