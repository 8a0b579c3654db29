import { mockTool, mockToolset, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { refusalOf } from '../../../../test/setup/refusal-of.ts';
import { connectMcp, mountTools, serveHttp, serveStdio } from '../../src/index.ts';

/** What a plain JavaScript program may pass. */
const untyped = (value: unknown): never => value as never;
const tool = mockTool('a', 'ok');
const tools = mockToolset([tool]);
const none = { mcpServers: {} };

test.each<readonly [string, () => unknown, string]>([
  ['serveHttp takes a Toolset, not an array', () => serveHttp(untyped([tool])), 'createRegistry('],
  ['serveHttp takes a Toolset, not nothing', () => serveHttp(untyped(undefined)), 'createRegistry('],
  ['serveHttp: there is no option "hostname"', () => serveHttp(tools, untyped({ hostname: '::1' })), 'name, version'],
  ['serveHttp: there is no option "prot"', () => serveHttp(tools, untyped({ prot: 1 })), '"port"'],
  ['serveHttp: the options must be an object, not a number', () => serveHttp(tools, untyped(3000)), 'port'],
  ['serveStdio takes a Toolset, not an array', () => serveStdio(untyped([tool])), 'createRegistry('],
  ['serveStdio: there is no option "onerror"', () => serveStdio(tools, untyped({ onerror: 1 })), '"onError"'],
  ['mountTools takes a server, not an object', () => mountTools(untyped(tools), tools), 'McpServer'],
  ['connectMcp: there is no option "timeout"', () => connectMcp(none, untyped({ timeout: 1 })), '"timeoutMs"'],
  [
    'connectMcp: there is no option "client.title"',
    () => connectMcp(none, untyped({ client: { title: 'x' } })),
    'client.name',
  ],
])('%s', async (message, work, hint) => {
  verifies('mcp.options.unknownKeys');
  const error = await refusalOf(work);
  expect(error.message).toContain(message);
  expect(error.hint).toContain(hint);
});
