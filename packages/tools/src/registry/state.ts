import { KernelError, type Tool, type ToolMetadata } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import { checkedMetadata } from '../tool/check-tool.ts';
import type { SavedTool } from './state-file.ts';
import { nearest } from '../name-suggestions.ts';
import { type Entry, type Store, unknownName } from './entries.ts';

/** The part of a registry that is kept between runs of a program. */
export interface RegistryState {
  /** Sets metadata over a tool's own, field by field; the tool becomes a new frozen object. Throws `TOOL_NOT_FOUND` or `TOOL_SCHEMA_INVALID`. */
  override(name: string, metadata: ToolMetadata): void;
  /** The state of every tool, by name. */
  state(): ReadonlyMap<string, SavedTool>;
  /** Brings tools to a saved state and returns the names that are not registered. Throws `CONFIG_INVALID`; then nothing has changed. */
  restore(tools: ReadonlyMap<string, SavedTool>): readonly string[];
}

/** Creates the state over a store. */
export function createState(store: Store): RegistryState {
  const merge = (entry: Entry, override: ToolMetadata | undefined): (() => void) => {
    const { tool } = entry.binding;
    const base = entry.base ?? tool;
    const next = override === undefined ? base : withMetadata(base, override, entry.binding);
    const binding = Object.freeze({ ...entry.binding, tool: next });
    return () => {
      entry.binding = binding;
      entry.base = override === undefined ? undefined : base;
      entry.override = override;
      // What was found out about this turn holds on, but for capabilities that are needed no more.
      const requires = next.metadata?.requires ?? [];
      entry.missing = entry.missing.filter((name) => requires.includes(name));
      store.changed('replaced', next.name);
    };
  };
  const change = (entry: Entry, name: string, saved: SavedTool): (() => void) => {
    const same = JSON.stringify(saved.metadata) === JSON.stringify(entry.override);
    const override = same ? undefined : merge(entry, saved.metadata);
    return () => {
      override?.();
      if (entry.hidden !== saved.hidden) {
        entry.hidden = saved.hidden;
        entry.promotion = undefined;
        store.touch();
      }
      if (entry.enabled === saved.enabled) return;
      entry.enabled = saved.enabled;
      store.changed(saved.enabled ? 'enabled' : 'disabled', name);
    };
  };

  return {
    override(name, metadata) {
      const entry = store.entries.get(name);
      if (entry === undefined) throw unknownName(name, nearest(name, store.entries.keys()));
      merge(entry, { ...entry.override, ...metadata })();
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
      const steps: (() => void)[] = [];
      for (const [name, saved] of tools) {
        const entry = store.entries.get(name);
        if (entry === undefined) unknown.push(name);
        else steps.push(prepared(name, () => change(entry, name, saved)));
      }
      for (const step of steps) step();
      return unknown;
    },
  };
}

function withMetadata(base: Tool, override: ToolMetadata, binding: ToolBinding): Tool {
  const metadata = checkedMetadata({ ...base, metadata: { ...base.metadata, ...override } }, binding);
  return Object.freeze({ ...base, ...(metadata === undefined ? {} : { metadata }) });
}

function prepared(name: string, prepare: () => () => void): () => void {
  try {
    return prepare();
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'the state is wrong';
    throw new KernelError('CONFIG_INVALID', `The saved state of tool "${name}" cannot be used: ${reason}`, {
      cause: error,
      hint: 'Nothing was changed.',
    });
  }
}
