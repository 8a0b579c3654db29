import { AsyncLocalStorage } from 'node:async_hooks';
import { addUsage, type Usage } from '@kernel/protocol';
import type { Approve } from '../approval/approval.ts';

/** What a call can learn about the run that makes it, for agents that run as tools of other agents. */
export interface RunScope {
  /** The number of nested runs around the call: 1 for a call of the outermost run. */
  readonly depth: number;
  /** The approval of the run, for the runs below it. */
  readonly approve: Approve | undefined;
  /** Adds what a run below has used. */
  addUsage(usage: Usage): void;
}

const scopes = new AsyncLocalStorage<RunScope>();

/** Returns the scope of the call that is running, or undefined outside of a call. */
export function currentScope(): RunScope | undefined {
  return scopes.getStore();
}

/**
 * Runs a call in a scope of its own. Resolves to the call's output and to what runs below it have used until then; `onLateUsage` gets what
 * they use later.
 */
export async function runInScope<T>(
  approve: Approve | undefined,
  onLateUsage: (usage: Usage) => void,
  call: () => Promise<T>,
): Promise<{ readonly output: T; readonly usage: Usage | undefined }> {
  let usage: Usage | undefined;
  let hasEnded = false;
  const scope: RunScope = {
    depth: (currentScope()?.depth ?? 0) + 1,
    approve: approve ?? currentScope()?.approve,
    addUsage: (more) => {
      if (hasEnded) onLateUsage(more);
      else usage = usage === undefined ? more : addUsage(usage, more);
    },
  };
  const output = await scopes.run(scope, call);
  hasEnded = true;
  return { output, usage };
}
