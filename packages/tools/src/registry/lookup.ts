import { KernelError, type ToolResult, toErrorResult } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import { onAbort } from '../call/abort.ts';
import { cancelled } from '../call/result.ts';
import type { Capabilities } from '../capabilities.ts';
import { unknownTool } from './names.ts';
import type { Entry, Store } from './entries.ts';

/** Finds what a call runs, or the result that says why nothing runs. A promise only for a tool that requires capabilities. */
export type Finder = (name: string) => Found | Promise<Found>;

/** A binding to run, or the result in its place. */
export type Found = ToolBinding | ToolResult;

/** Creates the finder of a registry. A use of a promoted tool renews its life time. */
export function createFinder(store: Store, capabilities: () => Capabilities, names: () => readonly string[]): Finder {
  return (name) => {
    const entry = store.entries.get(name);
    if (entry === undefined || !entry.enabled || (entry.hidden && entry.promotion === undefined))
      return unknownTool(name, names());
    const { metadata } = entry.binding.tool;
    if (metadata?.optionality === 'conditional' && entry.condition !== true) {
      return unavailable(name, 'its condition does not hold in this turn', []);
    }
    renew(entry);
    return whenAble(entry.binding, capabilities);
  };
}

/** Returns a binding once its capabilities are there, or the result that names the missing ones. */
export function whenAble(binding: ToolBinding, capabilities: () => Capabilities): Found | Promise<Found> {
  const { name, metadata } = binding.tool;
  if (metadata?.requires === undefined || metadata.requires.length === 0) return binding;
  return capabilities()
    .missing(metadata.requires)
    .then((missing) => {
      if (missing.length === 0) return binding;
      return unavailable(name, `this machine lacks ${missing.map((need) => `"${need}"`).join(', ')}`, missing);
    });
}

/** What was found, or the result of a call that was aborted while capabilities were checked. */
export function orCancelled(found: Promise<Found>, name: string, signal: AbortSignal): Promise<Found> {
  return new Promise((resolve) => {
    const cancel = (): void => resolve(cancelled(name, 'never-started'));
    if (signal.aborted) return cancel();
    const unlisten = onAbort(signal, cancel);
    void found.then((settled) => {
      unlisten();
      return resolve(settled);
    });
  });
}

function renew(entry: Entry): void {
  if (entry.promotion !== undefined) entry.promotion.left = entry.promotion.turns;
}

function unavailable(name: string, reason: string, missing: readonly string[]): ToolResult {
  const message = `"${name}" cannot be used now: ${reason}.`;
  return toErrorResult(new KernelError('TOOL_UNAVAILABLE', message, { data: { tool: name, missing: [...missing] } }));
}
