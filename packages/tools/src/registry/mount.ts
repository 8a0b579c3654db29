import { type JsonObject, type Tool, type ToolContext, type Toolset, isToolName } from '@kernel/protocol';
import type { ToolBinding } from '../binding.ts';
import { stableHash } from '../hash.ts';
import type { Validator } from '../schema/compile.ts';
import type { Changes } from './changes.ts';
import type { Store } from './store.ts';

/** Another toolset's tools in this registry, under names of their own. */
export interface Mount {
  /** The names here, by the names there. One to one. */
  names(): ReadonlyMap<string, string>;
  /** Takes the tools out again and stops following the toolset. */
  unmount(): void;
}

/** Follows mounted toolsets. */
export interface Mounts {
  /**
   * Adds the tools of another toolset as `prefix_name` and follows its changes. Names stay within 64 characters by a stable suffix.
   * Its own `call` checks and runs them, with its own clocks. Throws `TOOL_ALREADY_EXISTS` if a name is taken; then nothing has changed.
   */
  mount(prefix: string, toolset: Toolset): Mount;
  /** The mounted toolsets, for `beginTurn`. */
  readonly mounted: ReadonlySet<Followed>;
}

/** One mounted toolset. */
export interface Followed {
  readonly toolset: Toolset;
  /** Takes over what has changed there. */
  sync(): void;
}

/** Creates the mounts of a registry. */
export function createMounts(store: Store, changes: Changes): Mounts {
  const mounted = new Set<Followed>();
  const isOurs = (binding: ToolBinding): boolean => store.entries.get(binding.tool.name)?.binding === binding;
  return {
    mounted,
    mount(prefix, toolset) {
      const names = new Map<string, string>();
      const bindings = new Map<string, { readonly tool: Tool; readonly binding: ToolBinding }>();
      let last: readonly Tool[] | undefined;

      const bind = (tool: Tool): ToolBinding => {
        const name = names.get(tool.name) ?? mountedName(prefix, tool.name, new Set(names.values()));
        names.set(tool.name, name);
        return forward(toolset, tool, name);
      };
      const sync = (): void => {
        const tools = toolset.list();
        if (tools === last) return;
        last = tools;
        const present = new Set(tools.map((tool) => tool.name));
        for (const [original, { binding }] of bindings) {
          if (present.has(original)) continue;
          bindings.delete(original);
          if (isOurs(binding)) changes.unregister(binding.tool.name);
        }
        for (const tool of tools) {
          const before = bindings.get(tool.name);
          if (before?.tool === tool) continue;
          const binding = bind(tool);
          if (before === undefined) changes.register(binding, { onConflict: 'skip' });
          else if (isOurs(before.binding)) changes.replace(binding);
          bindings.set(tool.name, { tool, binding });
        }
      };

      const first = toolset.list().map((tool) => ({ tool, binding: bind(tool) }));
      changes.registerAll(first.map((entry) => entry.binding));
      for (const entry of first) bindings.set(entry.tool.name, entry);
      last = toolset.list();
      const followed: Followed = { toolset, sync };
      mounted.add(followed);
      const unsubscribe = toolset.subscribe?.(sync);
      return {
        names: () => new Map([...bindings.keys()].map((original) => [original, names.get(original) ?? original])),
        unmount() {
          mounted.delete(followed);
          unsubscribe?.();
          for (const { binding } of bindings.values()) if (isOurs(binding)) changes.unregister(binding.tool.name);
          bindings.clear();
        },
      };
    },
  };
}

/** Returns the name that a tool of another toolset gets here: `prefix_name`, or a legal spelling with a suffix made from the original. */
export function mountedName(prefix: string, name: string, taken: ReadonlySet<string> = new Set()): string {
  const plain = prefix === '' ? name : `${prefix}_${name}`;
  if (isToolName(plain) && !taken.has(plain)) return plain;
  for (let salt = ''; ; salt += '+') {
    const suffix = `_${stableHash(plain + salt)}`;
    const spelled = `${plain.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64 - suffix.length)}${suffix}`;
    if (!taken.has(spelled)) return spelled;
  }
}

/** The other toolset checks the arguments itself, with its own schema and policy. */
const ACCEPTS_ALL: Validator = { test: () => true, faults: () => [] };

function forward(toolset: Toolset, tool: Tool, name: string): ToolBinding {
  return Object.freeze({
    tool: Object.freeze({ ...tool, name }),
    handler: (input: JsonObject, context: ToolContext) =>
      toolset.call(
        { type: 'tool-call', id: context.callId, name: tool.name, arguments: JSON.stringify(input) },
        context,
      ),
    input: { validator: () => ACCEPTS_ALL },
    timeoutMs: 0,
    concurrency: Infinity,
    repair: 'off',
    unknownProperties: 'passthrough',
  });
}
