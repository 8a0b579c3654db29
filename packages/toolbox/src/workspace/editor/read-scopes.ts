import type { ToolWithHandler } from '@kernel/protocol';
import { AsyncLocalStorage } from 'node:async_hooks';

/** The answers of an editor by the absolute paths of its files. */
type Answers = Map<string, Promise<string | undefined>>;

/** How a call reads the files of an editor: on disk, or with its first answers. */
const scope = new AsyncLocalStorage<'disk' | Answers>();

/** Makes a call that reads files as they are on disk, whatever an editor shows: a search reads too many of them to ask for each. */
export function withDiskReads<T>(call: () => T): T {
  return scope.run('disk', call);
}

export function readsDisk(): boolean {
  return scope.getStore() === 'disk';
}

/** A tool that reads files as they are on disk. */
export function readingDisk(tool: ToolWithHandler): ToolWithHandler {
  return { ...tool, handler: (input, context) => withDiskReads(() => tool.handler(input, context)) };
}

/** Runs a call that asks an editor for each file at most once. For calls that only read: later changes to the file are not seen. */
export function withCachedEditorReads<T>(call: () => T): T {
  return scope.getStore() instanceof Map ? call() : scope.run(new Map(), call);
}

/** Reads a file of an editor, or returns what an earlier read of the same call came to. */
export function readInScope(path: string, read: () => Promise<string | undefined>): Promise<string | undefined> {
  const answers = scope.getStore();
  if (answers === undefined || answers === 'disk') return read();
  const answer = answers.get(path) ?? read();
  answers.set(path, answer);
  return answer;
}
