import { setTimeout as wait } from 'node:timers/promises';
import { collect, run, withHooks, withSelectedTools } from '@kernel/agent';
import type { Tool, Toolset } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { createRegistry, defineTool, type ToolRegistry } from '@kernel/tools';
import { expect, test } from 'vitest';
import * as z from 'zod';

interface App {
  readonly role: 'admin' | 'guest';
}

/** A registry with one tool for each role, and one for all. */
function createTools(ran: string[]): ToolRegistry {
  const forRole = (role: App['role']) =>
    defineTool<App>()({
      name: `${role}_tool`,
      description: `For ${role}s.`,
      effect: 'write',
      concurrency: 100,
      input: z.object({}),
      metadata: { optionality: 'conditional' },
      async when({ context }) {
        await wait(Math.random() * 3);
        return context?.role === role;
      },
      handler: (_, { context }) => void ran.push(`${role}_tool for ${context.role}`),
    });
  const shared = defineTool({ name: 'shared', description: '', input: z.object({}), handler: () => 'ok' });
  return createRegistry([forRole('admin'), shared, forRole('guest')]);
}

/** What tools reach a run through, and the prefix of their names there. */
const PATHS: readonly (readonly [string, (registry: ToolRegistry) => Toolset, string])[] = [
  ['a registry', (registry) => registry, ''],
  ['a view', (registry) => registry.view({ exclude: ['other'] }), ''],
  ['a mount', mounted, 'm_'],
  ['a mounted view', (registry) => mounted(registry.view()), 'm_'],
  ['hooks', (registry) => withHooks(registry, { beforeTool: () => undefined, afterTool: () => undefined }), ''],
  ['selected tools', (registry) => withSelectedTools(registry, (tools) => tools), ''],
];

function mounted(toolset: Toolset): Toolset {
  const outer = createRegistry();
  outer.mount('m', toolset);
  return outer;
}

const MODES = [
  ['without approval', {}],
  ['with approval', { approve: async () => wait(1, { decision: 'allow' } as const) }],
  ['with a typed answer', { output: z.object({ a: z.int() }) }],
] as const;

test.each(
  PATHS.flatMap(([path, wrap, prefix]) => MODES.map(([mode, options]) => ({ path, wrap, prefix, mode, options }))),
)(
  'a hundred runs at once with alternating contexts each have exactly their tools, through $path $mode',
  async ({ wrap, prefix, options }) => {
    verifies('conditions.perRun', 'conditions.sameList');
    const ran: string[] = [];
    const tools = wrap(createTools(ran));
    const lists = new Set<readonly Tool[]>();
    const runOne = async (index: number): Promise<void> => {
      const role = index % 2 === 0 ? 'admin' : 'guest';
      const calls = ['admin_tool', 'guest_tool'].map((name) => ({ name: `${prefix}${name}`, arguments: {} }));
      const provider = scriptedProvider([{ calls }, { calls }, { text: '{"a":1}' }]);
      const { messages } = await collect(
        run({
          provider,
          model: 'm',
          messages: [{ role: 'user', content: 'Go' }],
          tools,
          context: { role },
          ...options,
        }),
      );
      const own = `${prefix}${role}_tool`;
      for (const request of provider.streamRequests) {
        const offered = (request.tools ?? []).map((tool) => tool.name).filter((name) => name !== 'final_answer');
        expect(offered.toSorted()).toEqual([own, `${prefix}shared`].toSorted());
        if (request.tools !== undefined) lists.add(request.tools);
      }
      const results = messages.flatMap((message) => (message.role === 'tool' ? [message] : []));
      expect(results.length).toBe(4);
      for (const { name, isError } of results) expect([name, isError === true]).toEqual([name, name !== own]);
    };
    await Promise.all(Array.from({ length: 100 }, (_, index) => runOne(index)));
    expect(ran.filter((line) => line === 'admin_tool for admin').length).toBe(100);
    expect(ran.filter((line) => line === 'guest_tool for guest').length).toBe(100);
    expect(ran.length).toBe(200);
    // A list is the same array in all runs that are offered the same, so that encoders find what they have made of it.
    const isOwnOfRun = 'output' in options; // the tool for the answer is new in each run
    expect(lists.size).toBe(isOwnOfRun ? 100 : 2);
  },
);
