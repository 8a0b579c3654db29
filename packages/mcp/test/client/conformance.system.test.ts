import { toolsetConformance, verifies } from '@kernel/testing';
import { describe, test } from 'vitest';
import { connectMcp } from '../../src/index.ts';
import { server } from './programs.ts';

describe('a toolset of an MCP server is a toolset like others', () => {
  const cases = toolsetConformance(async () => {
    const toolset = await connectMcp({ mcpServers: { a: server('ok', 'fails', 'hangs') } }, { graceMs: 200 });
    const close = (): Promise<void> => toolset.close();
    return {
      toolset,
      answers: 'mcp__a__ok',
      throws: 'mcp__a__fails',
      hangs: 'mcp__a__hangs',
      stops: 'mcp__a__hangs',
      isRemote: true,
      close,
    };
  });
  for (const { name, run } of cases)
    // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- the case has both
    test(name, async () => {
      verifies('mcp.client.toolset');
      await run();
    });
});
