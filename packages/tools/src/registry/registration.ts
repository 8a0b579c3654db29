import { KernelError } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import { nearest } from '../name-suggestions.ts';
import { type Entry, type Store, checkName, nameTaken, unknownName } from './entries.ts';

/** What happened to a registration. */
export type RegisterResult = 'added' | 'replaced' | 'skipped';

/** How a tool is registered. */
export interface RegisterOptions {
  /** What to do about a taken name: throw (the default), let the new binding win, or keep the old one. */
  readonly onConflict?: 'error' | 'replace' | 'skip' | undefined;
  /** Keeps the tool out of the list until it is promoted. Where it replaces another and this is absent, it is shown as that one was. */
  readonly hidden?: boolean | undefined;
}

/** Something whose bindings can be taken over: another registry. */
export interface BindingSource {
  bindings(options?: { readonly includeHidden?: boolean | undefined }): readonly ToolBinding[];
}

/** The changes of a registry. Each takes effect at once, raises the version and is told to listeners; none waits for calls. */
export interface Changes extends BindingSource {
  /** Adds a tool. Throws `TOOL_ALREADY_EXISTS` with free names, or `TOOL_NAME_INVALID`; then nothing has changed. */
  register(binding: ToolBinding, options?: RegisterOptions): RegisterResult;
  /** Adds all or, on any fault, none; the error lists every clash. */
  registerAll(bindings: Iterable<ToolBinding>, options?: RegisterOptions): readonly RegisterResult[];
  /** Adds all tools of another registry, hidden ones as hidden, or none. */
  merge(other: BindingSource, options?: Pick<RegisterOptions, 'onConflict'>): readonly RegisterResult[];
  /** Swaps the tool of that name at its place in the list. Throws `TOOL_NOT_FOUND`. */
  replace(binding: ToolBinding): void;
  /** Says whether a tool was removed. With `strict`, an unknown name throws `TOOL_NOT_FOUND`. */
  unregister(name: string, options?: { readonly strict?: boolean | undefined }): boolean;
  /** Offers tools again, at their places. Throws `TOOL_NOT_FOUND` for an unknown name; then nothing has changed. */
  enable(names: Iterable<string>): void;
  /** Takes tools out of the list; a call to one gives `TOOL_NOT_FOUND`. Throws like `enable`. */
  disable(names: Iterable<string>): void;
  /**
   * Offers hidden tools at the end of the list for exactly the next `ttl` turns, default 5; a use renews that, and promoting again never
   * shortens it. Throws `TOOL_NOT_FOUND` for an unknown name and `CONFIG_INVALID` for a `ttl` that is no whole number of at least 1.
   */
  promote(names: Iterable<string>, ttl?: number): void;
}

const DEFAULT_TTL = 5;

/** Creates the changes over a store. */
export function createChanges(store: Store): Changes {
  const isTaken = (name: string): boolean => store.entries.has(name);
  const entriesFor = (names: Iterable<string>): readonly (readonly [string, Entry])[] =>
    [...names].map((name) => {
      const entry = store.entries.get(name);
      if (entry === undefined) throw unknownName(name, nearest(name, store.entries.keys()));
      return [name, entry] as const;
    });

  const apply = (binding: ToolBinding, options: RegisterOptions): RegisterResult => {
    const { name } = binding.tool;
    if (!isTaken(name)) {
      store.add(binding, options.hidden === true);
      return 'added';
    }
    if (options.onConflict === 'skip') return 'skipped';
    store.replace(binding);
    const entry = store.entries.get(name);
    if (entry !== undefined && options.hidden !== undefined && options.hidden !== entry.hidden) {
      entry.hidden = options.hidden;
      entry.promotion = undefined;
    }
    return 'replaced';
  };
  const tell = (binding: ToolBinding, result: RegisterResult): void => {
    if (result === 'skipped') return;
    store.changed(result === 'added' ? 'registered' : 'replaced', binding.tool.name, warningsOf(binding));
  };
  const registerAll = (
    bindings: readonly ToolBinding[],
    optionsOf: (binding: ToolBinding) => RegisterOptions,
  ): readonly RegisterResult[] => {
    const seen = new Set<string>();
    const clashes = new Set<string>();
    for (const binding of bindings) {
      checkBinding(binding);
      const { name } = binding.tool;
      const strict = (optionsOf(binding).onConflict ?? 'error') === 'error';
      if (strict && (seen.has(name) || isTaken(name))) clashes.add(name);
      seen.add(name);
    }
    if (clashes.size > 0) throw nameTaken([...clashes], (name) => isTaken(name) || seen.has(name));
    const results = bindings.map((binding) => apply(binding, optionsOf(binding)));
    for (const [index, binding] of bindings.entries()) tell(binding, results[index] ?? 'skipped');
    return results;
  };
  const switchTo = (names: Iterable<string>, enabled: boolean): void => {
    const changed = entriesFor(names).filter(([, entry]) => entry.enabled !== enabled);
    for (const [, entry] of changed) entry.enabled = enabled;
    for (const [name] of changed) store.changed(enabled ? 'enabled' : 'disabled', name);
  };

  return {
    register(binding, options = {}) {
      const [result = 'skipped'] = registerAll([binding], () => options);
      return result;
    },
    registerAll: (bindings, options = {}) => registerAll([...bindings], () => options),
    merge(other, options = {}) {
      const shown = new Set(other.bindings());
      return registerAll([...other.bindings({ includeHidden: true })], (binding) => ({
        ...options,
        hidden: !shown.has(binding),
      }));
    },
    replace(binding) {
      checkBinding(binding);
      const { name } = binding.tool;
      if (!isTaken(name)) throw unknownName(name, nearest(name, store.entries.keys()));
      store.replace(binding);
      tell(binding, 'replaced');
    },
    unregister(name, options) {
      const removed = store.remove(name);
      if (removed) store.changed('unregistered', name);
      else if (options?.strict === true) throw unknownName(name, nearest(name, store.entries.keys()));
      return removed;
    },
    enable: (names) => switchTo(names, true),
    disable: (names) => switchTo(names, false),
    promote(names, ttl = DEFAULT_TTL) {
      checkTtl(ttl);
      const promoted: string[] = [];
      for (const [name, entry] of entriesFor(names)) {
        if (!entry.hidden) continue;
        if (entry.promotion === undefined) {
          store.moveToEnd(name);
          promoted.push(name);
        }
        const { left = 0, turns = 0 } = entry.promotion ?? {};
        entry.promotion = { left: Math.max(left, ttl), turns: Math.max(turns, ttl) };
      }
      for (const name of promoted) store.changed('promoted', name);
    },
    bindings(options) {
      const entries = [...store.entries.values()].filter((entry) => options?.includeHidden === true || !entry.hidden);
      return entries.map((entry) => entry.binding);
    },
  };
}

/** Throws `CONFIG_INVALID` for a life time that is no whole number of turns. */
export function checkTtl(ttl: number | undefined): void {
  if (ttl === undefined || (Number.isInteger(ttl) && ttl >= 1)) return;
  throw new KernelError('CONFIG_INVALID', `ttl must be a whole number of turns, at least 1, not ${ttl}.`);
}

function checkBinding(binding: ToolBinding): void {
  const given: Partial<ToolBinding> | null | undefined = binding;
  if (typeof given?.input?.validator !== 'function' || given.tool === undefined) {
    throw new KernelError('CONFIG_INVALID', 'Only a binding can be registered, and this is none.', {
      hint: 'Make one with defineTool({ … }) or bindTool(tool, handler).',
    });
  }
  checkName(given.tool.name);
}

function warningsOf(binding: ToolBinding): readonly string[] | undefined {
  const { name, description } = binding.tool;
  if (description.trim() !== '') return undefined;
  return [`Tool "${name}" has an empty description: a model can only guess what it is for.`];
}
