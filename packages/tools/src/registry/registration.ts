import { KernelError, type ToolWithHandler } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import type { Entry, EntryStore } from './entries.ts';
import { checkList, toBinding } from './to-binding.ts';
import { nameTakenError, unknownNameError } from './name-errors.ts';
import type { RegisterOptions, RegisterResult, ToolRegistry } from './types.ts';

export type Registration = Pick<
  ToolRegistry,
  'register' | 'registerAll' | 'merge' | 'replace' | 'unregister' | 'enable' | 'disable' | 'promote' | 'bindings'
>;

const DEFAULT_TTL = 5;

export function createRegistration(store: EntryStore): Registration {
  const isTaken = (name: string): boolean => store.entries.has(name);
  const entriesOf = (names: Iterable<string>): readonly (readonly [string, Entry])[] =>
    [...names].map((name) => {
      const entry = store.entries.get(name);
      if (entry === undefined) throw unknownNameError(name, store.entries.keys());
      return [name, entry] as const;
    });

  const apply = (binding: ToolBinding, options: RegisterOptions): RegisterResult => {
    const { name } = binding.tool;
    const entry = store.entries.get(name);
    if (entry === undefined) {
      store.add(binding, options.hidden === true);
      return 'added';
    }
    if (options.onConflict === 'skip') return 'skipped';
    store.replace(binding);
    if (options.hidden !== undefined && options.hidden !== entry.hidden) {
      entry.hidden = options.hidden;
      entry.promotion = undefined;
    }
    return 'replaced';
  };
  const notify = (binding: ToolBinding, result: RegisterResult): void => {
    if (result === 'skipped') return;
    store.changed(result === 'added' ? 'registered' : 'replaced', binding.tool.name, warningsOf(binding));
  };
  const registerAll = (
    given: readonly (ToolBinding | ToolWithHandler)[],
    optionsOf: (binding: ToolBinding) => RegisterOptions,
  ): readonly RegisterResult[] => {
    const bindings = given.map(toBinding);
    const names = new Set<string>();
    const clashes = new Set<string>();
    for (const binding of bindings) {
      const { name } = binding.tool;
      const mustBeFree = (optionsOf(binding).onConflict ?? 'error') === 'error';
      if (mustBeFree && (names.has(name) || isTaken(name))) clashes.add(name);
      names.add(name);
    }
    if (clashes.size > 0) throw nameTakenError([...clashes], (name) => isTaken(name) || names.has(name));
    // Listeners are notified once all changes have been made.
    const results = bindings.map((binding) => apply(binding, optionsOf(binding)));
    for (const [index, binding] of bindings.entries()) notify(binding, results[index] ?? 'skipped');
    return results;
  };
  const setEnabled = (names: Iterable<string>, enabled: boolean): void => {
    const changed = entriesOf(names).filter(([, entry]) => entry.enabled !== enabled);
    for (const [, entry] of changed) entry.enabled = enabled;
    for (const [name] of changed) store.changed(enabled ? 'enabled' : 'disabled', name);
  };

  return {
    register(binding, options = {}) {
      const [result = 'skipped'] = registerAll([binding], () => options);
      return result;
    },
    registerAll(bindings, options = {}) {
      checkList('registerAll', bindings);
      return registerAll([...bindings], () => options);
    },
    merge(other, options = {}) {
      const visible = new Set(other.bindings());
      return registerAll([...other.bindings({ includeHidden: true })], (binding) => ({
        ...options,
        hidden: !visible.has(binding),
      }));
    },
    replace(given) {
      const binding = toBinding(given);
      const { name } = binding.tool;
      if (!isTaken(name)) throw unknownNameError(name, store.entries.keys());
      store.replace(binding);
      notify(binding, 'replaced');
    },
    unregister(name, options = {}) {
      const existed = store.remove(name);
      if (existed) store.changed('unregistered', name);
      else if (options.strict === true) throw unknownNameError(name, store.entries.keys());
      return existed;
    },
    enable: (names) => setEnabled(names, true),
    disable: (names) => setEnabled(names, false),
    promote(names, ttl = DEFAULT_TTL) {
      checkTtl(ttl);
      const promoted: string[] = [];
      for (const [name, entry] of entriesOf(names)) {
        if (!entry.hidden) continue;
        if (entry.promotion === undefined) {
          store.moveToEnd(name);
          promoted.push(name);
        }
        const { turnsLeft = 0, turns = 0 } = entry.promotion ?? {};
        entry.promotion = { turnsLeft: Math.max(turnsLeft, ttl), turns: Math.max(turns, ttl) };
      }
      for (const name of promoted) store.changed('promoted', name);
    },
    bindings(options = {}) {
      const entries = [...store.entries.values()].filter((entry) => options.includeHidden === true || !entry.hidden);
      return entries.map((entry) => entry.binding);
    },
  };
}

function checkTtl(ttl: number): void {
  if (Number.isInteger(ttl) && ttl >= 1) return;
  throw new KernelError('CONFIG_INVALID', `ttl must be a whole number of turns, at least 1, not ${ttl}.`);
}

function warningsOf(binding: ToolBinding): readonly string[] | undefined {
  const { name, description } = binding.tool;
  if (description.trim() !== '') return undefined;
  return [`Tool "${name}" has an empty description: a model can only guess what it is for.`];
}
