import type { Approve } from '@kernel/protocol';
import { collect, run, withHooks } from '@kernel/agent';
import { scriptedProvider, verifies } from '@kernel/testing';
import { bindTool, createRegistry, type ToolRegistry } from '@kernel/tools';
import { expect, test } from 'vitest';

const parameters = { type: 'object', properties: { path: { type: 'string' } } };

/** A registry whose hook turns each call of `look` into one of `to`, and what ran. */
function hookedTools(to: string) {
  const ran: string[] = [];
  const bindings = (['read', 'read', 'write'] as const).map((effect, index) => {
    const name = ['look', 'peek', 'remove'][index] ?? '';
    return bindTool({ name, description: 'Does it.', parameters, effect }, (_, context) => {
      ran.push(context.toolName);
      return 'ok';
    });
  });
  let hooks = 0;
  const tools = withHooks(createRegistry(bindings), {
    beforeTool(call) {
      hooks += 1;
      return call.name === 'look' ? { action: 'change', call: { ...call, name: to } } : undefined;
    },
  });
  return { ran, tools, hooks: () => hooks };
}

/** Ways to reach the mounted tools. */
const REGISTRIES: readonly (readonly [
  string,
  (registry: ToolRegistry) => ToolRegistry | ReturnType<ToolRegistry['view']>,
  string,
])[] = [
  ['a registry', (registry) => registry, 'fs'],
  ['a view of a registry', (registry) => registry.view({ include: ['fs_look', 'fs_remove', 'fs_peek'] }), 'fs'],
  [
    'a registry in a registry',
    (registry) => {
      const outer = createRegistry();
      outer.mount('all', registry);
      return outer;
    },
    'all_fs',
  ],
];

async function runMounted(
  make: (typeof REGISTRIES)[number][1],
  prefix: string,
  to: string,
  decision: 'allow' | 'deny',
) {
  const { ran, tools, hooks } = hookedTools(to);
  const registry = createRegistry();
  registry.mount('fs', tools);
  const asked: unknown[] = [];
  const approve: Approve = ({ call, tool }) => {
    asked.push([call.name, tool.effect, call.arguments]);
    return decision === 'deny' ? { decision, reason: 'no' } : { decision };
  };
  const call = { name: `${prefix}_look`, arguments: '{"path":"a"}' };
  const provider = scriptedProvider([{ calls: [call] }, { text: 'ok' }]);
  await collect(
    run({ provider, model: 'm', messages: [{ role: 'user', content: 'Go' }], tools: make(registry), approve }),
  );
  return { asked, ran, hooks: hooks() };
}

test.each(REGISTRIES)(
  'a hook of a toolset mounted in %s cannot run a tool with an effect unasked',
  async (_, make, prefix) => {
    verifies('agent.hooks.mounted');
    const question = [`${prefix}_remove`, 'write', '{"path":"a"}'];
    expect(await runMounted(make, prefix, 'remove', 'deny')).toEqual({ asked: [question], ran: [], hooks: 1 });
    expect(await runMounted(make, prefix, 'remove', 'allow')).toEqual({ asked: [question], ran: ['remove'], hooks: 1 });
  },
);

test.each(REGISTRIES)(
  'a hook of a toolset mounted in %s that stays with reading is not asked about',
  async (_, make, prefix) => {
    verifies('agent.hooks.mounted');
    expect(await runMounted(make, prefix, 'peek', 'deny')).toEqual({ asked: [], ran: ['peek'], hooks: 1 });
  },
);
