import type { Toolset } from './port.ts';

// Symbol.for: two installed copies of this package recognize each other's marks.
const CHANGES_CALLS = Symbol.for('@kernel/protocol/changesCalls');

/**
 * Marks a toolset that may run another tool than the one called, such as one with a hook before calls: its `validate` says which, and an agent
 * with an approval asks it about every call. Returns the same toolset; wrappers that spread it keep the mark.
 *
 * `may` says whether it holds now, for a toolset that forwards to others. Default: always.
 */
export function markChangesCalls<T extends Toolset>(tools: T, may: () => boolean = always): T {
  return Object.assign(tools, { [CHANGES_CALLS]: may });
}

/** Whether a toolset may run another tool than the one called. */
export function changesCalls(tools: Toolset): boolean {
  const may: unknown = Reflect.get(tools, CHANGES_CALLS);
  return typeof may === 'function' && may() === true;
}

function always(): boolean {
  return true;
}
