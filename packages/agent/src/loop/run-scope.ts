import { AsyncLocalStorage } from 'node:async_hooks';
import { addUsage, type Usage } from '@kernel/protocol';
import type { Approve } from '../approval/approval.ts';

/** What a call can know of the run that makes it: for agents that run as tools of other agents. */
export interface RunScope {
  /** How many runs stand above the call: 1 for a call of the outermost run. */
  readonly depth: number;
  /** The run's own approval, for runs below it. */
  readonly approve: Approve | undefined;
  /** Adds what a run below has used. */
  addUsage(usage: Usage): void;
}

const scopes = new AsyncLocalStorage<RunScope>();

/** The scope of the call that is running, or nothing outside of any. */
export function currentScope(): RunScope | undefined {
  return scopes.getStore();
}

/** Runs a call in a scope of its own. Resolves to what it gave and what runs below it used until then; `onLate` hears the rest. */
export async function inScope<T>(
  approve: Approve | undefined,
  onLate: (usage: Usage) => void,
  call: () => Promise<T>,
): Promise<{ readonly output: T; readonly usage: Usage | undefined }> {
  let usage: Usage | undefined;
  let isOver = false;
  const scope: RunScope = {
    depth: (currentScope()?.depth ?? 0) + 1,
    approve: approve ?? currentScope()?.approve,
    addUsage: (more) => {
      if (isOver) onLate(more);
      else usage = usage === undefined ? more : addUsage(usage, more);
    },
  };
  const output = await scopes.run(scope, call);
  isOver = true;
  return { output, usage };
}
