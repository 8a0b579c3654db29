import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveHttp } from '@kernel/mcp';
import { verifies } from '@kernel/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixtureTools } from './fixture/tools.ts';

const CLI = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js'));
const TOKEN = 'a-token-of-the-test';

const home = mkdtempSync(join(tmpdir(), 'inspector-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs the inspector's command line and returns what it printed and its exit code. */
function inspect(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], HOME: home };
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, '--cli', ...args], { env, timeout: 60_000 }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: stdout }),
    );
  });
}

let http: Awaited<ReturnType<typeof serveHttp>>;
beforeAll(async () => {
  http = await serveHttp(fixtureTools(), { token: TOKEN });
});
afterAll(() => http.close());

const STDIO = [process.execPath, join(import.meta.dirname, 'fixture/stdio.ts')];

describe('the inspector over stdio', () => {
  test('lists our tools with titles, schemas, hints and metadata', async () => {
    verifies('mcp.server.list', 'mcp.server.annotations');
    const { code, text } = await inspect(...STDIO, '--method', 'tools/list');
    expect(code).toBe(0);
    const { tools } = JSON.parse(text) as { readonly tools: readonly { readonly name: string }[] };
    const registered = fixtureTools().list();
    expect(tools.map(({ name }) => name)).toEqual(registered.map(({ name }) => name));
    const add = registered.find(({ name }) => name === 'add');
    expect(tools.find(({ name }) => name === 'add')).toMatchObject({
      title: 'Add two numbers',
      inputSchema: add?.parameters,
      outputSchema: add?.outputSchema,
      annotations: { readOnlyHint: true },
      _meta: { category: 'utility', optionality: 'optional' },
    });
  });

  test("shows a tool's failure as a result", async () => {
    verifies('mcp.server.fault');
    const { text } = await inspect(...STDIO, '--method', 'tools/call', '--tool-name', 'test_error_handling');
    expect(JSON.parse(text)).toMatchObject({ isError: true });
  });
});

test('the inspector over http calls one with arguments and gets its text and its data', async () => {
  verifies('mcp.server.call');
  const target = [http.url, '--transport', 'http', '--header', `Authorization: Bearer ${TOKEN}`];
  const call = ['--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=2', '--tool-arg', 'b=40'];
  const { code, text } = await inspect(...target, ...call);
  expect(code).toBe(0);
  expect(JSON.parse(text)).toMatchObject({ content: [{ text: '{"sum":42}' }], structuredContent: { sum: 42 } });
});

test('the inspector without the token is refused', async () => {
  const { code, text } = await inspect(http.url, '--transport', 'http', '--method', 'tools/list');
  expect(code).not.toBe(0);
  expect(text).not.toContain('"tools"');
});
