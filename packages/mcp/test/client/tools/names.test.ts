import { isToolName } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createToolNames } from '../../../src/client/tools/remote-tool.ts';

/** Names of tools that a program may have of its own. */
const OWN = ['write_file', 'run_command', 'apply_patch', 'read_file', 'agent_command', 'list_resources', 'a', 'mcp'];

test('no server gives one of its tools the name of a tool of the program, however it calls itself', () => {
  verifies('mcp.client.names');
  const nameTool = createToolNames();
  for (const own of OWN)
    for (let at = 0; at <= own.length; at += 1)
      for (const [server, tool] of [
        [own.slice(0, at), own.slice(at)],
        [own.slice(0, at), own.slice(at + 1)],
        ['', own],
        [own, ''],
        [`mcp__${own}`, own],
      ] as const) {
        const name = nameTool(server, tool);
        expect(OWN).not.toContain(name);
        expect([name, isToolName(name), name.startsWith('mcp__')]).toEqual([name, true, true]);
      }
});

test('a name is that of one server and tool, whatever both are called and in whatever order they come', () => {
  verifies('mcp.client.names');
  const parts = ['a', 'b', 'a_', '_a', 'a__b', 'b__a', '__', '_', 'a_b', 'a.b', 'a b', 'A', 'ä', 'x'.repeat(70), ''];
  const pairs = parts.flatMap((server) => parts.map((tool) => [server, tool] as const));
  const namesIn = (order: readonly (readonly [string, string])[]) => {
    const nameTool = createToolNames();
    return new Map(order.map(([server, tool]) => [JSON.stringify([server, tool]), nameTool(server, tool)]));
  };
  const names = namesIn(pairs);
  expect(new Set(names.values()).size).toBe(pairs.length);
  expect(namesIn(pairs.toReversed())).toEqual(names);
  // A rule for all tools of a server is about no other server.
  const ofA = [...names].filter(([, name]) => name.startsWith('mcp__a__')).map(([pair]) => pair);
  expect(ofA.filter((pair) => !pair.startsWith('["a",'))).toEqual([]);
  expect(ofA.length).toBeGreaterThan(5);
});
