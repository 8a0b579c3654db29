import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { connectMcp } from '../../../src/index.ts';
import { toRemoteTool } from '../../../src/client/tools/remote-tool.ts';

const listed = (annotations?: object): Parameters<typeof toRemoteTool>[0] => ({
  name: 'a',
  inputSchema: { type: 'object' },
  ...(annotations === undefined ? {} : { annotations }),
});

test.each([
  [undefined, 'external', 'external'],
  [{ readOnlyHint: true }, 'external', 'read'],
  [{ idempotentHint: true }, 'external', 'external'],
  [{ idempotentHint: true, destructiveHint: false }, 'external', 'idempotent'],
  [{ destructiveHint: true }, 'write', 'write'],
  [{ readOnlyHint: true, destructiveHint: true }, 'write', 'write'],
  [{ readOnlyHint: true, openWorldHint: true }, 'external', 'external'],
  [{ readOnlyHint: true, openWorldHint: false }, 'external', 'read'],
  [{ readOnlyHint: false }, 'external', 'external'],
])('the hints %o make a tool %s, and %s on a server whose hints the user trusts', (hints, without, trusted) => {
  verifies('mcp.client.hints');
  expect(toRemoteTool(listed(hints), 'mcp__a__a').tool.effect).toBe(without);
  expect(toRemoteTool(listed(hints), 'mcp__a__a', true).tool.effect).toBe(trusted);
});

test('a change of the hints is a change of the definition, and trusting a server is none', () => {
  verifies('mcp.client.hints');
  const hash = (hints: object, trusts = false): string => toRemoteTool(listed(hints), 'mcp__a__a', trusts).hash;
  expect(hash({ readOnlyHint: true })).toBe(hash({ readOnlyHint: true }, true));
  expect(hash({ readOnlyHint: true })).not.toBe(hash({ readOnlyHint: false }));
  expect(hash({ title: 'A' })).not.toBe(hash({}));
});

test('trust in a server that is not in the config is refused', async () => {
  verifies('mcp.client.hints');
  await expect(connectMcp({ mcpServers: {} }, { trustHints: ['filse'] })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('"filse"'),
  });
});
