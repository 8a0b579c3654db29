import { KernelError, type Tool, type ToolMetadata, isToolName } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import { freeNames, legalName } from '../name-suggestions.ts';
import type { RegistryChangeKind } from './events.ts';

/** One registered tool and what is known about it now. */
export interface Entry {
  binding: ToolBinding;
  /** Kept out of the list until promoted. */
  hidden: boolean;
  enabled: boolean;
  /** Set while a hidden tool is offered: how many more turns, and how many each use gives. */
  promotion: { left: number; readonly turns: number } | undefined;
  /** Whether a `conditional` tool's condition holds in this turn; `undefined` before it was first asked. */
  condition: boolean | undefined;
  /** The capabilities found missing when last checked. */
  missing: readonly string[];
  /** Metadata set over the tool's own. */
  override: ToolMetadata | undefined;
  /** The tool as it was registered, where metadata was set over its own. */
  base: Tool | undefined;
}

/** The entries of a registry in their order, the list made from them, and its version. */
export interface Store {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly version: number;
  list(): readonly Tool[];
  add(binding: ToolBinding, hidden: boolean): void;
  replace(binding: ToolBinding): void;
  remove(name: string): boolean;
  /** Moves an entry to the end, so that tools already offered keep their places. */
  moveToEnd(name: string): void;
  /** Says that what is offered may have changed, and tells it. */
  changed(kind: RegistryChangeKind, name: string, warnings?: readonly string[]): void;
  /** Takes a batch of changes as one version. */
  touch(): void;
}

/** Creates an empty store. */
export function createStore(
  tell: (kind: RegistryChangeKind, name: string, version: number, warnings?: readonly string[]) => void,
): Store {
  const entries = new Map<string, Entry>();
  let version = 0;
  let cached: readonly Tool[] = Object.freeze([]);
  let stale = false;

  const touch = (): void => {
    version += 1;
    stale = true;
  };
  return {
    entries,
    get version() {
      return version;
    },
    list() {
      if (!stale) return cached;
      stale = false;
      const tools: Tool[] = [];
      for (const entry of entries.values()) if (isOffered(entry)) tools.push(entry.binding.tool);
      const same = tools.length === cached.length && tools.every((tool, index) => tool === cached[index]);
      if (!same) cached = Object.freeze(tools);
      return cached;
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
        base: undefined,
      });
    },
    replace(binding) {
      const entry = entries.get(binding.tool.name);
      if (entry === undefined) return;
      entry.binding = binding;
      entry.condition = undefined;
      entry.missing = [];
      entry.override = undefined;
      entry.base = undefined;
    },
    remove: (name) => entries.delete(name),
    moveToEnd(name) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entries.delete(name);
      entries.set(name, entry);
    },
    changed(kind, name, warnings) {
      touch();
      tell(kind, name, version, warnings);
    },
    touch,
  };
}

/** Whether a tool is in the list: enabled, shown, its condition true and nothing missing. */
export function isOffered(entry: Entry): boolean {
  return isUsable(entry) && !(entry.hidden && entry.promotion === undefined);
}

/** Whether a tool could be called if it were shown. */
export function isUsable(entry: Entry): boolean {
  if (!entry.enabled || entry.missing.length > 0) return false;
  return entry.binding.tool.metadata?.optionality !== 'conditional' || entry.condition === true;
}

/** Throws `TOOL_NAME_INVALID` for a name that no model API would take. */
export function checkName(name: string): void {
  if (isToolName(name)) return;
  if (name.trim() === '') {
    throw new KernelError('TOOL_NAME_INVALID', 'The tool name is empty: <unnamed>.', { hint: 'Give the tool a name.' });
  }
  const suggestion = legalName(name);
  const shown = name.length > 80 ? `${name.slice(0, 77)}…` : name;
  throw new KernelError('TOOL_NAME_INVALID', `"${shown}" is not a tool name.`, {
    hint: `Use 1 to 64 letters, digits, "_" or "-"${suggestion === undefined ? '.' : `, such as "${suggestion}".`}`,
    ...(suggestion === undefined ? {} : { data: { suggestion } }),
  });
}

/** The error for a taken name, with free ones. */
export function nameTaken(names: readonly string[], isTaken: (name: string) => boolean): KernelError {
  const [name = ''] = names;
  const suggestions = names.flatMap((taken) => freeNames(taken, isTaken, names.length === 1 ? 3 : 1));
  const message =
    names.length === 1
      ? `Tool "${name}" is already registered.`
      : `Tools are already registered: ${names.map((taken) => `"${taken}"`).join(', ')}.`;
  return new KernelError('TOOL_ALREADY_EXISTS', message, {
    hint: `Use a different name, such as "${suggestions[0] ?? ''}", or replace(), or mount the tools under a prefix.`,
    data: { names: [...names], suggestions },
  });
}

/** The error for a name that nothing is registered under. */
export function unknownName(name: string, near: readonly string[]): KernelError {
  const hint = near.length === 0 ? {} : { hint: `Did you mean ${near.map((other) => `"${other}"`).join(' or ')}?` };
  return new KernelError('TOOL_NOT_FOUND', `No tool named "${name.slice(0, 80)}" is registered.`, {
    ...hint,
    data: { name: name.slice(0, 80), near: [...near] },
  });
}
