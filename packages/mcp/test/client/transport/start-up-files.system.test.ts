import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { bash, homeWithStartUpFiles } from '../../../../../test/setup/start-up-files.ts';
import { call, connected, server } from '../programs.ts';

test('a server that starts by bash reads no start-up files', bash.options, async () => {
  verifies('toolbox.commands.startup');
  const { wereRead } = homeWithStartUpFiles();
  const { command, args = [], env } = server('pid');
  const byBash = { command: 'bash', args: ['-c', 'exec "$@"', 'bash', command, ...args], ...(env && { env }) };
  const toolset = await connected({ a: byBash });
  expect((await call(toolset, 'mcp__a__pid')).forLLM).toMatch(/^\d+$/);
  expect(wereRead()).toBe(false);
});
