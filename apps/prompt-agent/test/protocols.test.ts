import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PNG, promptHere, workspace } from './program.ts';

const USAGE = { inputTokens: 10, outputTokens: 5 };
let server: WireServer;
beforeEach(async () => {
  server = await startWireServer();
});
afterEach(() => server.close());

const call = (protocol: string, args: readonly string[], cwd = workspace()) =>
  promptHere(['-protocol', protocol, '-base-url', server.baseUrl, '-model', 'm', ...args], { cwd });

test('chat prints the response and the tokens; with -stream the raw text', async () => {
  verifies('cli.chat');
  server.enqueue({ text: 'Hi there.', usage: USAGE }, { text: 'Hi there.', usage: USAGE }, { text: 'x', usage: USAGE });
  expect((await call('chat', ['hello'])).stdout).toBe(
    'Response: Hi there.\nTokens: 10 prompt + 5 completions = 15 total\n',
  );
  expect((await call('chat', ['-stream', 'hello'])).stdout).toBe('Hi there.\n');
  const json = JSON.parse((await call('chat', ['--json', 'hello'])).stdout) as unknown;
  expect(json).toMatchObject({ version: 1, protocol: 'chat', text: 'x', usage: USAGE });
  expect(server.requests.map(({ body }) => (body as { stream?: boolean }).stream ?? false)).toEqual([
    false,
    true,
    false,
  ]);
  for (const { body } of server.requests) expect(body).not.toHaveProperty('tools');
});

test('a raw chat call without a model is for no tool: offline exits 3', async () => {
  const { code, stderr } = await promptHere(['-protocol', 'chat', '2+2']);
  expect(code).toBe(3);
  expect(stderr).toContain("Offline can't do this");
});

test('vision sends paths and ~/ paths inline and prints the response', async () => {
  verifies('cli.vision');
  const cwd = workspace({ 'a.png': PNG, 'home.png': PNG, 'fake.png': 'no image' });
  server.enqueue({ text: 'A cat.', usage: USAGE });
  const { stdout } = await call('vision', ['-images', 'a.png, ~/home.png', 'what is it?'], cwd);
  expect(stdout).toBe('Vision response: A cat.\nTokens: 10 prompt + 5 completion = 15 total\n');
  const url = `data:image/png;base64,${Buffer.from(PNG).toString('base64')}`;
  expect(server.requests[0]?.body).toMatchObject({
    messages: [{ content: [{ type: 'text', text: 'what is it?' }, { image_url: { url } }, { image_url: { url } }] }],
  });
  const fake = await call('vision', ['-images', 'fake.png', 'x'], cwd);
  expect([fake.code, fake.stderr]).toEqual([
    2,
    expect.stringContaining('"fake.png" is not a PNG, JPEG, GIF or WebP image'),
  ]);
  const none = await call('vision', ['-images', 'none.png', 'x'], cwd);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--images: "none.png" cannot be read')]);
  expect(server.requests).toHaveLength(1);
});

test('image URLs on private addresses are refused, by address and by name, unless a flag allows them', async () => {
  verifies('cli.vision.private', 'cli.vision.guard', 'cli.vision');
  const images = createServer((request, response) => {
    if (request.url === '/loop.png') response.writeHead(302, { location: '/loop.png' }).end();
    else if (request.url === '/huge.png') {
      response.writeHead(200);
      for (let part = 0; part < 25; part += 1) response.write(Buffer.alloc(1_048_576, part === 0 ? PNG : 0));
      response.end();
    } else response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
  });
  await new Promise<void>((resolve) => images.listen(0, '127.0.0.1', resolve));
  const { port } = images.address() as AddressInfo;
  const at = (host: string, path = '/a.png') => `http://${host}:${port}${path}`;
  try {
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1']) {
      const { code, stderr } = await call('vision', ['-images', at(host), 'x']);
      expect([host, code, stderr]).toEqual([host, 8, expect.stringContaining('not a public address')]);
    }
    const looped = await call('vision', ['-images', at('127.0.0.1', '/loop.png'), '--allow-private-images', 'x']);
    expect(looped.stderr).toContain('redirected more than 5 times');
    const huge = await call('vision', ['-images', at('127.0.0.1', '/huge.png'), '--allow-private-images', 'x']);
    expect(huge.stderr).toContain('larger than 20971520 bytes');
    expect(server.requests).toHaveLength(0);
    server.enqueue({ text: 'ok' });
    expect((await call('vision', ['-images', at('127.0.0.1'), '--allow-private-images', 'x'])).stdout).toMatch(
      /^Vision response: ok\n/,
    );
  } finally {
    images.closeAllConnections();
    images.close();
  }
});

test('tools prints the text and the calls, and runs none of them', async () => {
  verifies('cli.tools');
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const cwd = workspace({
    'tools.json': JSON.stringify([{ name: 'get_weather', description: 'Weather.', parameters }]),
    'bad.json': '[{"name": 1}]',
    'no.json': '{',
  });
  server.enqueue({
    text: 'Let me see.',
    calls: [
      { id: 'a', name: 'get_weather', arguments: { city: 'Paris' } },
      { id: 'b', name: 'get_weather' },
    ],
    usage: USAGE,
  });
  const { code, stdout } = await call('tools', ['-tools-file', 'tools.json', 'weather?'], cwd);
  expect(code).toBe(0);
  expect(stdout).toBe(
    'Response: Let me see.\nTool Calls:\n  - get_weather({"city":"Paris"})\n  - get_weather({})\nTokens: 10 prompt + 5 completion = 15 total\n',
  );
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]?.body).toMatchObject({
    tools: [{ type: 'function', function: { name: 'get_weather', description: 'Weather.', parameters } }],
  });
  for (const file of ['bad.json', 'no.json', 'none.json']) {
    const wrong = await call('tools', ['-tools-file', file, 'x'], cwd);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--tools-file')]);
  }
});

test('each mistake in a file of tools is named with its path, and a misspelled key with the right one', async () => {
  verifies('cli.config.schemas');
  const tool = { name: 'a', description: 'A tool.', parameters: {} };
  const cases: readonly (readonly [unknown, string])[] = [
    ['{"name": sk-secret}', '"tools.json" is not valid JSON'],
    [{}, '"tools.json": must be an array, not an object.'],
    [[{ ...tool, name: undefined }], '"tools.json": "[0].name" is missing.'],
    [[tool, { ...tool, name: 'b', parameter: {} }], '"[1]": there is no key "parameter"; did you mean "parameters"?'],
    [[{ ...tool, effect: 'rm' }], '"[0].effect" must be one of read, idempotent, write, external.'],
    [
      [
        { ...tool, name: 1 },
        { ...tool, description: null },
      ],
      'has 2 mistakes:\n  "[0].name" must be text, not a number\n  "[1].descr',
    ],
  ];
  for (const [content, said] of cases) {
    const cwd = workspace({ 'tools.json': typeof content === 'string' ? content : JSON.stringify(content) });
    const { code, stderr } = await call('tools', ['-tools-file', 'tools.json', 'x'], cwd);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
    expect(stderr).not.toContain('sk-secret');
  }
});

test('embeddings prints input, count, dimensions, values, range, index and tokens', async () => {
  verifies('cli.embeddings');
  const vector = Array.from({ length: 12 }, (_, index) => index / 10);
  const reply = {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: vector }],
    usage: { prompt_tokens: 4, total_tokens: 4 },
  };
  server.enqueue({ headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(reply)] });
  const { code, stdout } = await call('embeddings', ['some text']);
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      'Input: "some text"',
      '',
      'Generated 1 embedding(s):',
      '',
      'Embedding [0]:',
      '  Dimensions: 12',
      '  Values: [0.000000, 0.100000, 0.200000, 0.300000, 0.400000, ..., 0.700000, 0.800000, 0.900000, 1.000000, 1.100000]',
      '  Range: min 0.000000, max 1.100000, mean 0.550000',
      '',
      'Tokens: 4 total',
      '',
    ].join('\n'),
  );
});

test('audio prints the transcription and needs no prompt', async () => {
  verifies('cli.audio');
  const cwd = workspace({ 'speech.wav': 'RIFF' });
  server.enqueue({ text: 'hello world' });
  const { code, stdout } = await call('audio', ['-audio', 'speech.wav'], cwd);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello world\n' });
  expect(server.requests[0]?.headers['content-type']).toMatch(/^multipart\/form-data/);
  expect((await call('audio', ['-audio', 'none.wav'], cwd)).code).toBe(2);
});
