import type { Toolset } from './port.ts';

// Symbol.for: two installed copies of this package recognize each other's marks. Never in JSON, so that no server can claim one.
const REWRITES_CALLS = Symbol.for('@kernel/protocol/rewritesCalls');
const AWAITS_BEFORE_HANDLER = Symbol.for('@kernel/protocol/awaitsBeforeHandler');
const CHECKS_CALLS = Symbol.for('@kernel/protocol/validatesCalls');
const INNER_STEPS = Symbol.for('@kernel/protocol/innerSteps');

/**
 * Marks a toolset that may run another tool than the one called, such as one with a hook before calls: its `validate` says which, and an agent with
 * `approve` calls that for every call. Returns the same toolset; wrappers that spread it keep the mark.
 *
 * `may` returns whether the mark applies now, for a toolset that forwards to others. Default: always.
 */
export function markRewritesCalls<T extends Toolset>(tools: T, may: () => boolean = always): T {
  return Object.assign(tools, { [REWRITES_CALLS]: may });
}

/** Whether a toolset may run another tool than the one called. */
export function rewritesCalls(tools: Toolset): boolean {
  const may: unknown = Reflect.get(tools, REWRITES_CALLS);
  return typeof may === 'function' && may() === true;
}

/**
 * Marks a toolset whose `call` awaits `CallContext.beforeHandler` itself, after its queues and checks. For any other toolset, a run awaits it before
 * `call`. Returns the same toolset; wrappers that spread it keep the mark.
 */
export function markAwaitsBeforeHandler<T extends Toolset>(tools: T): T {
  return Object.assign(tools, { [AWAITS_BEFORE_HANDLER]: true });
}

/** Whether `call` of a toolset awaits `CallContext.beforeHandler` itself. */
export function awaitsBeforeHandler(tools: Toolset): boolean {
  return Reflect.get(tools, AWAITS_BEFORE_HANDLER) === true;
}

/**
 * Marks a toolset that validates and repairs the arguments of its calls itself, and whose results say how an aborted call ended. For any other
 * toolset, a run and a registry in which it is mounted do both. Returns the same toolset; wrappers that spread it keep the mark.
 */
export function markValidatesCalls<T extends Toolset>(tools: T): T {
  return Object.assign(tools, { [CHECKS_CALLS]: true });
}

/** Whether a toolset validates and repairs the arguments of its calls itself. */
export function validatesCalls(tools: Toolset): boolean {
  return Reflect.get(tools, CHECKS_CALLS) === true;
}

/**
 * Marks the handler of a tool that does nothing but run an agent as an inner run (see `Step.hasInnerSteps`), or a toolset with such tools: `has` says by name
 * which of them. Returns the same handler or toolset; wrappers of toolsets that spread it keep the mark.
 */
export function markInnerSteps<T extends object>(owner: T, has: (name: string) => boolean = always): T {
  return Object.assign(owner, { [INNER_STEPS]: has });
}

/** Whether a handler, or the tool of a name in a toolset, does nothing but run an agent. */
export function hasInnerSteps(owner: object, name: string): boolean {
  const has: unknown = Reflect.get(owner, INNER_STEPS);
  return typeof has === 'function' && has(name) === true;
}

function always(): boolean {
  return true;
}
