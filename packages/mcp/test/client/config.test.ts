import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { readMcpConfig } from '../../src/client/config.ts';
import { connectMcp } from '../../src/index.ts';
import { server } from './programs.ts';

test('the usual forms of a config are read, and keys that other programs keep in it are ignored', () => {
  const servers = readMcpConfig({
    $schema: 'https://example.com/mcp.json',
    inputs: [],
    mcpServers: {
      files: {
        command: 'npx',
        args: ['-y', 'a-server', '/data'],
        env: { LOG: 'off' },
        cwd: '/data',
        autoApprove: ['read'],
      },
      typed: { type: 'stdio', command: 'node', disabled: false, description: 'mine', timeout: 60 },
      web: { type: 'streamable-http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } },
      code: { type: 'http', url: 'http://127.0.0.1:1/mcp', alwaysAllow: [] },
      off: { command: 'never', disabled: true },
    },
  });
  expect(servers).toEqual([
    {
      kind: 'stdio',
      name: 'files',
      command: 'npx',
      args: ['-y', 'a-server', '/data'],
      env: { LOG: 'off' },
      cwd: '/data',
    },
    { kind: 'stdio', name: 'typed', command: 'node', args: [], env: {} },
    { kind: 'http', name: 'web', url: new URL('https://example.com/mcp'), headers: { Authorization: 'Bearer x' } },
    { kind: 'http', name: 'code', url: new URL('http://127.0.0.1:1/mcp'), headers: {} },
  ]);
});

test.each<[string, unknown, string]>([
  ['no object', 'npx', 'needs an object "mcpServers"'],
  ['no servers', {}, 'needs an object "mcpServers", not nothing'],
  ['a list of servers', { mcpServers: [] }, 'not []'],
  ["VS Code's own key", { servers: {} }, 'Rename "servers" to "mcpServers"'],
  ['a server that is text', { mcpServers: { a: 'npx' } }, 'MCP server "a": must be an object, not "npx"'],
  ['an empty name', { mcpServers: { '': { command: 'x' } } }, 'empty name'],
  ['neither command nor url', { mcpServers: { a: {} } }, '"command" is missing'],
  [
    'command and url',
    { mcpServers: { a: { command: 'x', url: 'http://x' } } },
    '"url" cannot be combined with "command"',
  ],
  [
    'an empty command',
    { mcpServers: { a: { command: ' ' } } },
    '"command" must be the name or path of a program, not " "',
  ],
  [
    'arguments in one text',
    { mcpServers: { a: { command: 'x', args: '-y b' } } },
    'Write each argument as a separate string',
  ],
  [
    'an argument that is a number',
    { mcpServers: { a: { command: 'x', args: [1] } } },
    '"args" must be an array of strings, not [1]',
  ],
  [
    'a variable that is a number',
    { mcpServers: { a: { command: 'x', env: { PORT: 80 } } } },
    '"env.PORT" must be a string',
  ],
  ['headers for a program', { mcpServers: { a: { command: 'x', headers: {} } } }, 'A program takes "env"'],
  ['variables for an address', { mcpServers: { a: { url: 'http://x', env: {} } } }, 'An address takes "headers"'],
  [
    'an address without a scheme',
    { mcpServers: { a: { url: 'example.com/mcp' } } },
    'must be an http or https address, not "example.com/mcp"',
  ],
  [
    'a password in the address',
    { mcpServers: { a: { url: 'http://me:pw@x/mcp' } } },
    'contains a user name or password',
  ],
  ['a file address', { mcpServers: { a: { url: 'file:///x' } } }, 'must be an http or https address'],
  [
    'a header with a line end',
    { mcpServers: { a: { url: 'http://x', headers: { A: 'b\r\nc' } } } },
    '"headers" contains a name or value',
  ],
  [
    'the old SSE transport',
    { mcpServers: { a: { type: 'sse', url: 'http://x' } } },
    'The old SSE transport is not supported',
  ],
  [
    'a type that does not fit',
    { mcpServers: { a: { type: 'http', command: 'x' } } },
    '"type" must be stdio here, not "http"',
  ],
  [
    'disabled as text',
    { mcpServers: { a: { command: 'x', disabled: 'yes' } } },
    '"disabled" must be true or false, not "yes"',
  ],
  ["another program's address key", { mcpServers: { a: { serverUrl: 'http://x' } } }, 'Write "url"'],
  ['a file of variables', { mcpServers: { a: { command: 'x', envFile: '.env' } } }, '"envFile" is not supported'],
])('a config with %s is refused with a typed error that says what to do', (_what, config, text) => {
  let error: unknown;
  try {
    readMcpConfig(config);
  } catch (thrown) {
    error = thrown;
  }
  if (!KernelError.is(error, 'CONFIG_INVALID')) throw new Error(`it gave ${String(error)}`);
  expect(`${error.message} ${error.hint ?? ''}`).toContain(text);
});

test('values of variables and headers are in no error text', () => {
  const config = { mcpServers: { a: { command: 'x', env: { KEY: ['sk-very-secret'] } } } };
  expect(() => readMcpConfig(config)).toThrow(/must be a string/);
  expect(() => readMcpConfig(config)).not.toThrow(/very-secret/);
});

test('a bad config or option starts nothing', async () => {
  await expect(connectMcp({ mcpServers: { good: server(), bad: { command: '' } } })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
  await expect(connectMcp({ mcpServers: { good: server() } }, { timeoutMs: -1 })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
});

test('no servers make an empty toolset', async () => {
  const toolset = await connectMcp({ mcpServers: { off: { command: 'x', disabled: true } } });
  expect(toolset.list()).toEqual([]);
  await toolset.close();
});

test('an error of a config shows no key: neither of a vendor, nor in an address', () => {
  verifies('secrets.vendorKeys');
  const key = `sk-ant-api03-${'a1B2'.repeat(30)}`;
  const broken = [
    { command: [key] },
    { url: `ftp://user:${'pass'.repeat(3)}@example.com/mcp?key=plain-secret-of-ours` },
    { command: 'a', args: `--key ${key}` },
  ];
  for (const entry of broken) {
    let message = '';
    try {
      readMcpConfig({ mcpServers: { a: entry } });
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('MCP server "a"');
    expect(message).not.toMatch(/a1B2|passpass|plain-secret/);
  }
});
