import { rm } from 'node:fs/promises';
import { visible } from '@kernel/internal';
import { createWorkspace } from '@kernel/toolbox';
import type { CommandCall } from '../command-call.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { runFolders, undoChanges, undoFolder, type Undone, undoneLines } from '../workspace/undo.ts';

/** Takes back what the last run changed in the workspace, and prints each path, or with `--json` one object. Fails if there is nothing, or if a file was changed since. */
export async function undo({ flags, host, output }: CommandCall): Promise<number> {
  const root = flags.workspace ?? host.cwd;
  const open = (state?: string) =>
    createWorkspace({ root, write: ['**'], ...(state === undefined ? {} : { state: { folder: state } }) }).catch(() => {
      throw usageError(`--workspace "${root}" is not a readable folder.`);
    });
  const { folder = root } = await open();
  for (const run of await runFolders(undoFolder(host, folder))) {
    // oxlint-disable no-await-in-loop -- the last run that left something to take back
    const workspace = await open(run);
    if (workspace.undoable().length === 0) {
      await rm(run, { recursive: true, force: true });
      continue;
    }
    const { changes, refused } = await undoChanges(workspace);
    if (refused.length === 0) await rm(run, { recursive: true, force: true });
    if (flags.json === true) output.writeJson(toJson(folder, { changes, refused }));
    else for (const line of undoneLines(changes)) output.write(`${visible(line)}\n`);
    for (const line of refused) output.alert(`prompt-agent: ${visible(line)}`);
    return refused.length === 0 ? EXIT.answer : EXIT.failed;
    // oxlint-enable no-await-in-loop
  }
  if (flags.json === true) output.writeJson(toJson(folder, { changes: [], refused: [] }));
  output.alert(`prompt-agent: there is nothing to take back in ${visible(folder)}.`);
  return EXIT.failed;
}

/** The object of `--json`, version 1: each path as it was changed before that was undone. */
function toJson(workspace: string, { changes, refused }: Undone): object {
  const isDone = changes.length > 0 && refused.length === 0;
  return {
    version: 1,
    exitCode: isDone ? EXIT.answer : EXIT.failed,
    workspace,
    undone: changes.flatMap(({ paths }) => paths),
    refused,
  };
}
