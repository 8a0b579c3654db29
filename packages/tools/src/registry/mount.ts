import { KernelError, type Tool, type ToolContext, type Toolset, mountedName } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import type { Validator } from '../schema/compile-schema.ts';
import type { Changes } from './registration.ts';
import type { Store } from './entries.ts';

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
   * Its own `call` reads the arguments and runs the tool, with its own clocks. A tool that comes later and finds its name taken gets a free
   * one with a suffix. Throws `TOOL_ALREADY_EXISTS` if a name is taken, and `CONFIG_INVALID` for a toolset that leads back to this
   * registry; then nothing has changed.
   */
  mount(this: void, prefix: string, toolset: Toolset): Mount;
  /** The mounted toolsets, for `beginTurn`. */
  readonly mounted: ReadonlySet<Followed>;
  /** Notes that a toolset shows the tools of this registry, and returns it. */
  own<T extends Toolset>(toolset: T): T;
}

/** One mounted toolset. */
export interface Followed {
  readonly toolset: Toolset;
  /** Takes over what has changed there; what it listed last stays where it fails. Never throws. */
  sync(): void;
}

/** Whose tools a registry or view shows, as the mounted toolsets of that registry. */
const owners = new WeakMap<Toolset, ReadonlySet<Followed>>();
/** The registries that a forwarded tool has come through: one that comes back is not mounted again. */
const ways = new WeakMap<Tool, ReadonlySet<unknown>>();

/** Creates the mounts of a registry. */
export function createMounts(store: Store, changes: Changes): Mounts {
  const mounted = new Set<Followed>();
  const isOurs = (binding: ToolBinding): boolean =>
    store.entries.get(binding.tool.name)?.binding.handler === binding.handler;
  return {
    mounted,
    own(toolset) {
      owners.set(toolset, mounted);
      return toolset;
    },
    mount(prefix, toolset) {
      if (leadsTo(toolset, mounted)) {
        throw new KernelError(
          'CONFIG_INVALID',
          `The toolset for "${prefix}" shows tools of the registry it is mounted in.`,
          {
            hint: 'Mount another registry, or use view() for a part of this one.',
          },
        );
      }
      const bindings = new Map<string, { readonly tool: Tool; readonly binding: ToolBinding }>();
      const names = new Map<string, string>();
      let last: readonly Tool[] | undefined;
      let syncing = false;

      const listThere = (): readonly Tool[] => toolset.list().filter((tool) => ways.get(tool)?.has(mounted) !== true);
      const bind = (tool: Tool, isTaken: (name: string) => boolean): ToolBinding => {
        const known = names.get(tool.name);
        const used = new Set(names.values());
        const name =
          known !== undefined && !isTaken(known)
            ? known
            : mountedName(prefix, tool.name, { has: (other) => used.has(other) || isTaken(other) });
        names.set(tool.name, name);
        const binding = forward(toolset, tool, name);
        ways.set(binding.tool, new Set([...(ways.get(tool) ?? []), mounted]));
        return binding;
      };
      const follow = (): void => {
        const all = toolset.list();
        if (all === last) return;
        last = all;
        const tools = listThere();
        const present = new Set(tools.map((tool) => tool.name));
        for (const [original, { binding }] of bindings) {
          if (present.has(original)) continue;
          bindings.delete(original);
          if (isOurs(binding)) changes.unregister(binding.tool.name);
        }
        for (const tool of tools) {
          const before = bindings.get(tool.name);
          if (before?.tool === tool) continue;
          const ours = before !== undefined && isOurs(before.binding);
          if (before !== undefined && !ours) {
            bindings.set(tool.name, { tool, binding: before.binding }); // somebody put another tool in its place
            continue;
          }
          const binding = bind(tool, (name) => store.entries.has(name) && !(ours && name === before.binding.tool.name));
          bindings.set(tool.name, { tool, binding });
          if (ours) changes.replace(binding);
          else changes.register(binding);
        }
      };
      const sync = (): void => {
        if (syncing) return;
        syncing = true;
        try {
          follow();
        } catch {
          last = undefined; // what was listed before stays on offer; the next turn looks again
        }
        syncing = false;
      };

      const first = listThere().map((tool) => ({ tool, binding: bind(tool, () => false) }));
      changes.registerAll(first.map((entry) => entry.binding));
      for (const entry of first) bindings.set(entry.tool.name, entry);
      last = toolset.list();
      const followed: Followed = { toolset, sync };
      mounted.add(followed);
      const unsubscribe = toolset.subscribe?.(() => sync());
      return {
        names: () =>
          new Map(
            [...bindings].flatMap(([original, { binding }]) =>
              isOurs(binding) ? [[original, binding.tool.name] as const] : [],
            ),
          ),
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

/** Whether a toolset shows the tools of a registry, itself or through what is mounted in it. */
function leadsTo(toolset: Toolset, target: ReadonlySet<Followed>): boolean {
  const own = owners.get(toolset);
  return own !== undefined && (own === target || [...own].some((followed) => leadsTo(followed.toolset, target)));
}

/** The other toolset checks the arguments itself, with its own schema and policy. */
const ACCEPTS_ALL: Validator = { test: () => true, faults: () => [] };

function forward(toolset: Toolset, tool: Tool, name: string): ToolBinding {
  return Object.freeze({
    tool: Object.freeze({ ...tool, name }),
    // The other toolset lists it only in turns where its condition holds.
    ...(tool.metadata?.optionality === 'conditional' ? { when: () => true } : {}),
    handler: (text: string, context: ToolContext) =>
      toolset.call({ type: 'tool-call', id: context.callId, name: tool.name, arguments: text }, context),
    input: { validator: () => ACCEPTS_ALL, raw: true as const },
    timeoutMs: 0,
    concurrency: Infinity,
    repair: 'off',
    unknownProperties: 'passthrough',
  });
}
