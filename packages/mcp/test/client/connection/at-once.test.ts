import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { startJsonServer } from '../../fixtures/json-server.ts';
import { connected } from '../programs.ts';

const COMPLETE = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

/** Resolves for all when that many have come. */
function meeting(size: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let come = 0;
  return () => {
    come += 1;
    if (come === size) resolve();
    return promise;
  };
}

test('20 servers are connected to at once: none waits for another to answer', async () => {
  verifies('mcp.client.atOnce');
  const [discovering, listing] = [meeting(20), meeting(20)];
  const servers = await Promise.all(
    Array.from({ length: 20 }, () =>
      startJsonServer({
        async 'server/discover'() {
          await discovering();
          return { ...COMPLETE, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
        },
        async 'tools/list'() {
          await listing();
          return { ...COMPLETE, tools: [{ name: 'work', inputSchema: { type: 'object' } }] };
        },
      }),
    ),
  );
  const toolset = await connected(Object.fromEntries(servers.map(({ url }, at) => [`s${at}`, { url }])));
  expect(toolset.list()).toHaveLength(20);
});
