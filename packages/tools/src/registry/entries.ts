import type { Tool, ToolMetadata } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import type { RegistryChange, RegistryChangeKind } from './events.ts';

/** One registered tool and its current state. */
export interface Entry {
  /** The binding, with overridden metadata applied. */
  binding: ToolBinding;
  /** Whether it is kept out of the list until promoted. */
  hidden: boolean;
  /** Whether it can be listed and called. */
  enabled: boolean;
  /** Set while a hidden tool is offered: the turns left, and the turns that each use restores. */
  promotion: { turnsLeft: number; readonly turns: number } | undefined;
  /** Whether the condition of a `conditional` tool holds in this turn; `undefined` before its first evaluation. */
  condition: boolean | undefined;
  /** The capabilities that were missing at the last check. */
  missing: readonly string[];
  /** The metadata that overrides the tool's own. */
  override: ToolMetadata | undefined;
  /** The tool as it was registered, if its metadata is overridden. */
  original: Tool | undefined;
}

/** The entries of a registry in order, the list of offered tools, and the version. */
export interface EntryStore {
  /** All entries by name. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Rises with each change. */
  readonly version: number;
  /** The offered tools: the same frozen array until they change. */
  list(): readonly Tool[];
  /** Adds an entry at the end. */
  add(binding: ToolBinding, hidden: boolean): void;
  /** Replaces the binding of an entry and resets its state, except for `enabled`, `hidden` and promotion. */
  replace(binding: ToolBinding): void;
  /** Removes an entry and returns whether it existed. */
  remove(name: string): boolean;
  /** Moves an entry to the end, so that tools on offer keep their positions. */
  moveToEnd(name: string): void;
  /** Bumps the version and notifies listeners: what is offered may have changed. */
  changed(kind: RegistryChangeKind, name: string, warnings?: readonly string[]): void;
  /** Bumps the version without notifying listeners. */
  bumpVersion(): void;
}

/** Creates an empty store. */
export function createEntryStore(emit: (change: RegistryChange) => void): EntryStore {
  const entries = new Map<string, Entry>();
  let version = 0;
  let list: readonly Tool[] = Object.freeze([]);
  let isStale = false;

  const bumpVersion = (): void => {
    version += 1;
    isStale = true;
  };
  return {
    entries,
    get version() {
      return version;
    },
    list() {
      if (!isStale) return list;
      isStale = false;
      const tools: Tool[] = [];
      for (const entry of entries.values()) if (isOffered(entry)) tools.push(entry.binding.tool);
      const isSame = tools.length === list.length && tools.every((tool, index) => tool === list[index]);
      if (!isSame) list = Object.freeze(tools);
      return list;
    },
    add(binding, hidden) {
      entries.set(binding.tool.name, {
        binding,
        hidden,
        enabled: true,
        promotion: undefined,
        condition: undefined,
        missing: [],
        override: undefined,
        original: undefined,
      });
    },
    replace(binding) {
      const entry = entries.get(binding.tool.name);
      if (entry === undefined) return;
      entry.binding = binding;
      entry.condition = undefined;
      entry.missing = [];
      entry.override = undefined;
      entry.original = undefined;
    },
    remove: (name) => entries.delete(name),
    moveToEnd(name) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entries.delete(name);
      entries.set(name, entry);
    },
    changed(kind, name, warnings) {
      bumpVersion();
      emit({ type: kind, name, version, ...(warnings === undefined ? {} : { warnings }) });
    },
    bumpVersion,
  };
}

/** Whether a tool is in the list: usable, and not hidden unless promoted. */
export function isOffered(entry: Entry): boolean {
  return isUsable(entry) && !(entry.hidden && entry.promotion === undefined);
}

/** Whether a tool could be called if it were not hidden: enabled, no capability missing, condition true. */
export function isUsable(entry: Entry): boolean {
  if (!entry.enabled || entry.missing.length > 0) return false;
  return entry.binding.tool.metadata?.optionality !== 'conditional' || entry.condition === true;
}
