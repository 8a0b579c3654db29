import {
  type CallContext,
  isToolResult,
  KernelError,
  type PreparedCall,
  type Tool,
  type ToolResult,
  type Toolset,
  type TurnContext,
  checkKeys,
  mountedName,
  optionKeys,
} from '@kernel/protocol';
import type { Validator } from '@kernel/schema';
import type { ToolBinding } from '../tool/binding.ts';
import type { EntryStore } from './entries.ts';
import type { Mount, MountOptions, ToolRegistry } from './types.ts';

const MOUNT_KEYS = optionKeys<MountOptions>({ hidden: true });

export interface Mounts {
  /** Mounts another toolset; see `ToolRegistry.mount`. */
  mount(this: void, prefix: string, toolset: Toolset, options?: MountOptions): Mount;
  readonly mounted: ReadonlySet<MountedToolset>;
  /** Records that a toolset shows tools of this registry. Returns it. */
  registerOwner<T extends Toolset>(toolset: T): T;
}

export interface MountedToolset {
  readonly toolset: Toolset;
  /** Adopts the tools that the toolset offers in a turn, or where it says nothing, its list; keeps the last list if that fails. Never throws. */
  readonly sync: (turn: TurnContext, offered: readonly Tool[] | undefined) => void;
}

/** The registry that a toolset belongs to: a registry itself, or its views. A registry is identified by its set of mounted toolsets. */
const owners = new WeakMap<Toolset, ReadonlySet<MountedToolset>>();
/** The registries that a forwarded tool has come through. A tool that comes back to one of them is not mounted again. */
const mountPaths = new WeakMap<Tool, ReadonlySet<unknown>>();

interface Forwarded {
  readonly tool: Tool;
  readonly binding: ToolBinding;
}

export function createMounts(
  store: EntryStore,
  registry: Pick<ToolRegistry, 'register' | 'registerAll' | 'replace' | 'unregister'>,
): Mounts {
  const mounted = new Set<MountedToolset>();
  /** Whether a name still belongs to the binding that a mount registered. */
  const isRegistered = ({ tool, handler }: ToolBinding): boolean =>
    store.entries.get(tool.name)?.binding.handler === handler;

  const mount = (prefix: string, toolset: Toolset, options: MountOptions = {}): Mount => {
    checkKeys('mount', options, MOUNT_KEYS);
    const { hidden = false } = options;
    if (leadsTo(toolset, mounted)) {
      throw new KernelError(
        'CONFIG_INVALID',
        `The toolset for "${prefix}" shows tools of the registry it is mounted in.`,
        { hint: 'Mount another registry, or use view() for a subset of this one.' },
      );
    }
    const forwarded = new Map<string, Forwarded>();
    const names = new Map<string, string>();
    let lastList: readonly Tool[] | undefined;
    let syncing = false;
    /** The names of the tools that the toolset offers in a turn, where turns at once can differ. */
    const offeredNames = new WeakMap<TurnContext, ReadonlySet<string>>();
    let differsByTurn = false;

    const isForeign = (tool: Tool): boolean => mountPaths.get(tool)?.has(mounted) !== true;
    /** A name that a tool got once stays its own for as long as it is free. */
    const nameFor = (tool: Tool, isTaken: (name: string) => boolean): string => {
      const previous = names.get(tool.name);
      const used = new Set(names.values());
      if (previous !== undefined && !isTaken(previous)) return previous;
      return mountedName(prefix, tool.name, { has: (name) => used.has(name) || isTaken(name) });
    };
    const bind = (tool: Tool, isTaken: (name: string) => boolean): ToolBinding => {
      const name = nameFor(tool, isTaken);
      names.set(tool.name, name);
      const binding = forwardTo(toolset, tool, name, {
        mountedTool: ({ name: other }) => forwarded.get(other)?.binding.tool,
        isOffered: (turn) => offeredNames.get(turn)?.has(tool.name) ?? true,
      });
      mountPaths.set(binding.tool, new Set([...(mountPaths.get(tool) ?? []), mounted]));
      return binding;
    };

    const removeAbsent = (tools: readonly Tool[]): void => {
      const present = new Set(tools.map((tool) => tool.name));
      for (const [original, { tool, binding }] of forwarded) {
        // Where turns differ, a conditional tool is absent from those in which it is not offered.
        if (present.has(original) || (differsByTurn && isConditional(tool))) continue;
        forwarded.delete(original);
        if (isRegistered(binding)) registry.unregister(binding.tool.name);
      }
    };
    const addOrReplace = (tool: Tool): void => {
      const before = forwarded.get(tool.name);
      if (before?.tool === tool) return;
      if (before !== undefined && !isRegistered(before.binding)) {
        forwarded.set(tool.name, { tool, binding: before.binding }); // replaced by someone else: their tool stays
        return;
      }
      const ownName = before?.binding.tool.name;
      const binding = bind(tool, (name) => store.entries.has(name) && name !== ownName);
      forwarded.set(tool.name, { tool, binding });
      if (before === undefined) registry.register(binding, { hidden });
      else registry.replace(binding);
    };
    const adoptChanges = (list: readonly Tool[]): void => {
      if (list === lastList) return;
      lastList = list;
      const tools = list.filter(isForeign);
      removeAbsent(tools);
      for (const tool of tools) addOrReplace(tool);
    };
    const sync = (turn?: TurnContext, offered?: readonly Tool[]): void => {
      if (turn !== undefined && offered !== undefined) {
        differsByTurn ||= offered.some(isConditional);
        offeredNames.set(turn, new Set(offered.map((tool) => tool.name)));
      }
      if (syncing) return;
      syncing = true;
      try {
        adoptChanges(offered ?? toolset.list());
      } catch {
        lastList = undefined; // the last tools stay on offer; the next turn tries again
      }
      syncing = false;
    };

    const initial = toolset
      .list()
      .filter(isForeign)
      .map((tool) => ({ tool, binding: bind(tool, () => false) }));
    registry.registerAll(
      initial.map((entry) => entry.binding),
      { hidden },
    );
    for (const entry of initial) forwarded.set(entry.tool.name, entry);
    lastList = toolset.list();
    const mountedToolset: MountedToolset = { toolset, sync };
    mounted.add(mountedToolset);
    const unsubscribe = toolset.subscribe?.(() => sync());
    return {
      names() {
        const registered = [...forwarded].filter(([, { binding }]) => isRegistered(binding));
        return new Map(registered.map(([original, { binding }]) => [original, binding.tool.name]));
      },
      unmount() {
        mounted.delete(mountedToolset);
        unsubscribe?.();
        for (const { binding } of forwarded.values()) if (isRegistered(binding)) registry.unregister(binding.tool.name);
        forwarded.clear();
      },
    };
  };

  return {
    mount,
    mounted,
    registerOwner(toolset) {
      owners.set(toolset, mounted);
      return toolset;
    },
  };
}

/** Whether a toolset shows the tools of a registry, itself or through what is mounted in it. */
function leadsTo(toolset: Toolset, target: ReadonlySet<MountedToolset>): boolean {
  const owner = owners.get(toolset);
  if (owner === undefined) return false;
  return owner === target || [...owner].some((mounted) => leadsTo(mounted.toolset, target));
}

function isConditional({ metadata }: Tool): boolean {
  return metadata?.optionality === 'conditional';
}

/** What a call may hold is for the schema of the other toolset to say. */
const ACCEPTS_ALL: Validator = { test: () => true, issues: () => [] };

/** What a forwarded tool needs to know of its mount. */
interface MountState {
  /** Finds what another tool of that toolset is here. */
  readonly mountedTool: (other: Tool) => Tool | undefined;
  /** Whether that toolset offers the tool in a turn. */
  readonly isOffered: (turn: TurnContext) => boolean;
}

/** Binds a tool of the other toolset to its name here. That toolset prepares its calls. */
function forwardTo(toolset: Toolset, tool: Tool, name: string, { mountedTool, isOffered }: MountState): ToolBinding {
  const own: Tool = Object.freeze({ ...tool, name });
  // That toolset may have put another tool in place of this one, also one of the same name.
  const shown = (other: Tool): Tool => {
    if (other === tool) return own;
    return other.name === tool.name ? Object.freeze({ ...other, name }) : (mountedTool(other) ?? other);
  };
  const asShown = (prepared: PreparedCall | ToolResult): PreparedCall | ToolResult =>
    isToolResult(prepared) ? prepared : { ...prepared, tool: shown(prepared.tool) };
  return Object.freeze({
    tool: own,
    ...(isConditional(tool) ? { when: isOffered } : {}),
    handler: () => undefined,
    input: {
      validator: () => ACCEPTS_ALL,
      forward(id: string, text: string, context: CallContext) {
        const prepared = toolset.prepare({ type: 'tool-call', id, name: tool.name, arguments: text }, context);
        return prepared instanceof Promise ? prepared.then(asShown) : asShown(prepared);
      },
    },
    timeoutMs: 0,
    concurrency: Infinity,
    unknownProperties: 'passthrough',
  });
}
