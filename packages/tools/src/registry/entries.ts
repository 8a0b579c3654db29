import type { Tool, ToolMetadata } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import { NO_CONDITION_RESULTS, type ConditionResults } from './conditions.ts';
import type { RegistryChange } from './events.ts';
import { createOfferedLists } from './offered-lists.ts';

export interface Entry {
  /** The binding, with overridden metadata applied. */
  binding: ToolBinding;
  /** Whether it is kept out of the list until promoted. */
  hidden: boolean;
  /** Whether it can be listed and called. */
  enabled: boolean;
  /** Set while a hidden tool is offered: the turns left, and the turns that each use restores. */
  promotion: { turnsLeft: number; readonly turns: number } | undefined;
  /** The capabilities that were missing at the last check. */
  missing: readonly string[];
  /** The metadata that overrides the tool's own. */
  override: ToolMetadata | undefined;
  /** The tool as it was registered, if its metadata is overridden. */
  original: Tool | undefined;
}

/** The entries of a registry in order, the list of offered tools, and the version. */
export interface EntryStore {
  readonly entries: ReadonlyMap<string, Entry>;
  /** A number that rises with each change. */
  version(): number;
  /** The conditions that held in the last turn. */
  conditionResults(): ConditionResults;
  /** The tools offered in the last turn: the same frozen array until they change. */
  list(): readonly Tool[];
  /** The tools offered while some conditions hold: the same frozen array as long as they are the same. */
  listFor(results: ConditionResults): readonly Tool[];
  /** Sets the conditions that hold in a turn that has begun. */
  setConditionResults(results: ConditionResults): void;
  add(binding: ToolBinding, hidden: boolean): void;
  /** Replaces the binding of an entry and resets its state, except for `enabled`, `hidden` and promotion. */
  replace(binding: ToolBinding): void;
  /** Removes an entry and returns whether it existed. */
  remove(name: string): boolean;
  /** Moves an entry to the end, so that tools on offer keep their positions. */
  moveToEnd(name: string): void;
  /** Bumps the version and notifies listeners: what is offered may have changed. */
  changed(kind: RegistryChange['type'], name: string, warnings?: readonly string[]): void;
  /** Bumps the version without notifying listeners. */
  bumpVersion(): void;
}

export function createEntryStore(emit: (change: RegistryChange) => void): EntryStore {
  const entries = new Map<string, Entry>();
  let version = 0;
  let results: ConditionResults = NO_CONDITION_RESULTS;
  let list: readonly Tool[] | undefined;
  const lists = createOfferedLists(
    () => [...entries.values()].flatMap(({ binding }) => (isConditional(binding) ? (binding.when ?? []) : [])),
    (holding) => [...entries.values()].filter((entry) => isOffered(entry, holding)).map(({ binding }) => binding.tool),
  );

  const bumpVersion = (): void => {
    version += 1;
    list = undefined;
    lists.invalidate();
  };
  return {
    entries,
    version: () => version,
    conditionResults: () => results,
    list: () => (list ??= lists.listFor(results)),
    listFor: (holding) => lists.listFor(holding),
    setConditionResults(next) {
      const before = results;
      results = next;
      list = undefined;
      const changed = [...entries.values()].some((entry) => isUsable(entry, before) !== isUsable(entry, next));
      if (changed) version += 1;
    },
    add(binding, hidden) {
      entries.set(binding.tool.name, {
        binding,
        hidden,
        enabled: true,
        promotion: undefined,
        missing: [],
        override: undefined,
        original: undefined,
      });
    },
    replace(binding) {
      const entry = entries.get(binding.tool.name);
      if (entry === undefined) return;
      entry.binding = binding;
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
export function isOffered(entry: Entry, results: ConditionResults): boolean {
  return isUsable(entry, results) && !(entry.hidden && entry.promotion === undefined);
}

/** Whether a tool could be called if it were not hidden: enabled, no capability missing, condition true. */
export function isUsable({ enabled, missing, binding }: Entry, results: ConditionResults): boolean {
  if (!enabled || missing.length > 0) return false;
  return !isConditional(binding) || (binding.when !== undefined && results.get(binding.when) === true);
}

/** Whether a tool is offered only in turns in which its condition holds. */
export function isConditional({ tool }: ToolBinding): boolean {
  return tool.metadata?.optionality === 'conditional';
}
