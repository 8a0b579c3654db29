import { createLock } from '@kernel/internal';
import { type Approve, type ToolCall, type Toolset, wrapCalls } from '@kernel/protocol';
import { changesIn, type FileChange, type FileChanges, isWriting } from './file-changes.ts';
import { callIdOf, type ToolCalls } from './tool-calls.ts';

interface WatchOptions {
  readonly calls: ToolCalls;
  /** The folder that relative paths in arguments belong to. */
  readonly folder: string;
  readonly changesOf: (call: ToolCall, signal: AbortSignal) => Promise<FileChanges>;
}

/** Finds out what the calls of a run change, before each of them runs: afterwards nobody knows what there was. */
export function watchChanges({ calls, folder, changesOf }: WatchOptions) {
  // What a call changes is known once those before it have made their changes.
  const inTurn = createLock();
  /** The files that calls of agents and programs are about to change, by the ids of the calls. */
  const changing = new Map<string, readonly string[]>();

  const filesOf = async (call: ToolCall, signal: AbortSignal): Promise<readonly FileChange[]> => {
    try {
      return (await changesOf(call, signal)).files;
    } catch {
      return [];
    }
  };
  /** What a call of an agent or a program changes. Beside another one of the same file, only what it replaces is known. */
  const innerFilesOf = async (id: string, call: ToolCall, signal: AbortSignal): Promise<readonly FileChange[]> => {
    const files = await filesOf(call, signal);
    const paths = files.map(({ path }) => path);
    for (const other of changing.keys()) if (!calls.isOpen(other)) changing.delete(other);
    const isShared = [...changing.values()].flat().some((path) => paths.includes(path));
    changing.set(id, paths);
    const own = isShared ? changesIn(call, folder) : [];
    return own.length === 0 ? files : own;
  };

  return {
    /** Watches the calls of the run itself. */
    tools: (tools: Toolset): Toolset =>
      wrapCalls(tools, (prepared, call) =>
        isWriting(call.name)
          ? {
              ...prepared,
              run: (running) =>
                inTurn(async () => {
                  calls.setChanges(callIdOf([], call.id), call, await filesOf(call, running.signal));
                  return prepared.run(running);
                }),
            }
          : prepared,
      ),
    /** Watches the calls of agents and programs within it, which its tools do not make: those that write are decided on right before they run. */
    approve:
      (approve: Approve): Approve =>
      async (request) => {
        const decision = await approve(request);
        const { call, path, signal } = request;
        if (decision.decision === 'allow' && path.length > 0 && isWriting(call.name)) {
          const id = callIdOf(path, call.id);
          calls.describe(id, call);
          calls.setChanges(id, call, await innerFilesOf(id, call, signal));
        }
        return decision;
      },
  };
}
