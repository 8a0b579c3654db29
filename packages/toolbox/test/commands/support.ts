import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolContext, ToolResult } from '@kernel/protocol';
import { createRegistry } from '@kernel/tools';
import { onTestFinished } from 'vitest';
import { type CommandOptions, commandTools } from '../../src/commands/index.ts';
import { createWorkspace } from '../../src/workspace/index.ts';

/** An empty folder outside of any folder for temporary files that isolation replaces. Removed after the test. */
export async function emptyFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'commands-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Command tools over an empty folder, called as a model would. */
export async function commands(options: Partial<CommandOptions> = {}) {
  const folder = await emptyFolder();
  const workspace = await createWorkspace({ root: folder, write: ['**'] });
  const { tools, close } = commandTools({ workspace, isolation: 'none', ...options });
  onTestFinished(close);
  const registry = createRegistry(tools);
  const run = (
    command: readonly string[],
    rest: Readonly<Record<string, unknown>> = {},
    context: Partial<ToolContext> = {},
  ): Promise<ToolResult> =>
    registry.call(
      {
        type: 'tool-call',
        id: 'call',
        name: 'run_command',
        arguments: JSON.stringify({ command, ...rest }),
      },
      { signal: new AbortController().signal, ...context },
    );
  const use = (name: string, input: object) => registry.execute(name, { ...input });
  return { folder, run, use, close };
}
