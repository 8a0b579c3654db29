import type { ToolWithHandler } from '@kernel/protocol';
import { AsyncLocalStorage } from 'node:async_hooks';

const reading = new AsyncLocalStorage<true>();

/** Makes a call that reads files as they are on disk, whatever an editor shows: a search reads too many of them to ask for each. */
export function withDiskReads<T>(call: () => T): T {
  return reading.run(true, call);
}

export function readsDisk(): boolean {
  return reading.getStore() === true;
}

/** A tool that reads files as they are on disk. */
export function onDiskReads(each: ToolWithHandler): ToolWithHandler {
  return { ...each, handler: (input, context) => withDiskReads(() => each.handler(input, context)) };
}
