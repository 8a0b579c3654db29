import type { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type Params, startJsonServer } from '../../fixtures/json-server.ts';
import { call, connected } from '../programs.ts';

const tool = (name: string): object => ({ name, inputSchema: { type: 'object' } });

/** Connects to a server whose pages are what `page` makes of a cursor and of how often was asked. */
async function listing(page: (cursor: unknown, count: number) => object) {
  const cursors: unknown[] = [];
  const { url } = await startJsonServer({
    'tools/list': ({ cursor }: Params) => page(cursor, cursors.push(cursor)),
    'tools/call': ({ name }: Params) => ({ content: [{ type: 'text', text: `ran ${String(name)}` }] }),
  });
  const warnings: string[] = [];
  const onUnavailable = (_: string, error: KernelError): void => {
    expect(error.data).toMatchObject({ isPartial: true });
    warnings.push(error.message);
  };
  const toolset = await connected({ a: { url } }, { onUnavailable });
  return { toolset, cursors, warnings, names: toolset.list().map(({ name }) => name) };
}

test.each(['', null])('a next cursor of %o is the end of the list, without a warning', async (nextCursor) => {
  verifies('mcp.client.pages');
  const { names, cursors, warnings } = await listing((cursor) =>
    cursor === undefined ? { tools: [tool('one')], nextCursor: 'p2' } : { tools: [tool('two')], nextCursor },
  );
  expect([names, cursors, warnings]).toEqual([['mcp__a__one', 'mcp__a__two'], [undefined, 'p2'], []]);
});

test('a page that was there before ends the list, and what was listed is used', async () => {
  verifies('mcp.client.pages');
  const same = await listing((_, count) => ({ tools: [tool(`t${count}`)], nextCursor: 'again' }));
  expect([same.names, same.cursors]).toEqual([
    ['mcp__a__t1', 'mcp__a__t2'],
    [undefined, 'again'],
  ]);
  expect(same.warnings).toEqual([
    'MCP server "a" sent the same cursor twice in its list of tools, which would never end; the tools listed until then are used.',
  ]);
  expect((await call(same.toolset, 'mcp__a__t2')).forLLM).toBe('ran t2');
  const circle = await listing((_, count) => ({ tools: [tool(`t${count}`)], nextCursor: `p${count % 3}` }));
  expect([circle.names.length, circle.cursors]).toEqual([4, [undefined, 'p1', 'p2', 'p0']]);
  expect(circle.warnings).toHaveLength(1);
});

test('pages that bring no other tool, and a cursor that is no text, end the list, and what was listed is used', async () => {
  verifies('mcp.client.pages');
  const idle = await listing((_, count) => ({ tools: [tool('one')], nextCursor: `p${count}` }));
  expect([idle.names, idle.cursors.length, idle.warnings.length]).toEqual([['mcp__a__one'], 4, 1]);
  const odd = await listing(() => ({ tools: [tool('one')], nextCursor: 7 }));
  expect([odd.names, odd.cursors.length, odd.warnings.length]).toEqual([['mcp__a__one'], 1, 1]);
});

test('a page that fails costs the tools of it and of those after it', async () => {
  verifies('mcp.client.pages');
  const { names, warnings } = await listing((cursor) => {
    if (cursor !== undefined) throw new Error('no');
    return { tools: [tool('one')], nextCursor: 'p2' };
  });
  expect(names).toEqual(['mcp__a__one']);
  expect(warnings).toEqual([
    'MCP server "a" failed to return page 2 of its list of tools; the tools listed until then are used.',
  ]);
});
