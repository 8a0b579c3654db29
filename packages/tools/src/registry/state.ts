import { KernelError, type Tool, type ToolMetadata } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import { checkMetadata } from '../tool/check-tool.ts';
import type { Entry, EntryStore } from './entries.ts';
import { unknownNameError } from './name-errors.ts';
import type { SavedTool, ToolRegistry } from './types.ts';

export type RegistryState = Pick<ToolRegistry, 'overrideMetadata' | 'state' | 'restore'>;

type PreparedChange = () => void;

export function createRegistryState(store: EntryStore): RegistryState {
  const prepareOverride = (entry: Entry, override: ToolMetadata | undefined): PreparedChange => {
    const original = entry.original ?? entry.binding.tool;
    const tool = override === undefined ? original : withMetadata(original, override, entry.binding);
    const binding = Object.freeze({ ...entry.binding, tool });
    return () => {
      entry.binding = binding;
      entry.original = override === undefined ? undefined : original;
      entry.override = override;
      // What is known about this turn stays, except for capabilities that are no longer required.
      const requires = tool.metadata?.requires ?? [];
      entry.missing = entry.missing.filter((name) => requires.includes(name));
      store.changed('replaced', tool.name);
    };
  };
  const prepareRestore = (entry: Entry, name: string, saved: SavedTool): PreparedChange => {
    const isSame = JSON.stringify(saved.metadata) === JSON.stringify(entry.override);
    const override = isSame ? undefined : prepareOverride(entry, saved.metadata);
    return () => {
      override?.();
      if (entry.hidden !== saved.hidden) {
        entry.hidden = saved.hidden;
        entry.promotion = undefined;
        store.bumpVersion();
      }
      if (entry.enabled === saved.enabled) return;
      entry.enabled = saved.enabled;
      store.changed(saved.enabled ? 'enabled' : 'disabled', name);
    };
  };

  return {
    overrideMetadata(name, metadata) {
      const entry = store.entries.get(name);
      if (entry === undefined) throw unknownNameError(name, store.entries.keys());
      prepareOverride(entry, { ...entry.override, ...metadata })();
    },
    state() {
      return new Map(
        [...store.entries].map(([name, { enabled, hidden, override }]) => [
          name,
          { enabled, hidden, ...(override === undefined ? {} : { metadata: override }) },
        ]),
      );
    },
    restore(tools) {
      const unknown: string[] = [];
      const changes: PreparedChange[] = [];
      for (const [name, saved] of tools) {
        const entry = store.entries.get(name);
        if (entry === undefined) unknown.push(name);
        else changes.push(orStateError(name, () => prepareRestore(entry, name, saved)));
      }
      for (const change of changes) change();
      return unknown;
    },
  };
}

function withMetadata(original: Tool, override: ToolMetadata, binding: ToolBinding): Tool {
  const metadata = checkMetadata({ ...original, metadata: { ...original.metadata, ...override } }, binding);
  return Object.freeze({ ...original, ...(metadata === undefined ? {} : { metadata }) });
}

function orStateError(name: string, prepare: () => PreparedChange): PreparedChange {
  try {
    return prepare();
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'the state is invalid';
    throw new KernelError('CONFIG_INVALID', `The saved state of tool "${name}" cannot be used: ${reason}`, {
      cause: error,
      hint: 'Nothing was changed.',
    });
  }
}
