import type { AgentBundle, BundleMode } from '@kernel/toolbox/bundles';
import type { Workspace } from '@kernel/toolbox/workspace';
import { usageError } from '../exit-code.ts';
import type { CommandCall } from '../invocation.ts';
import { ownFolders } from '../workspace/open-workspace.ts';

export const COMMAND_MS = 120_000;

/** Opens the tools of `--bundle`. Rejects with a usage error for `--sandbox required` where the system has no way to isolate commands. */
export async function openBundle(
  { flags, host, signal }: CommandCall,
  workspace: Workspace,
  mode: BundleMode,
): Promise<AgentBundle> {
  const { blogAgent, codeAgent } = await import('@kernel/toolbox/bundles');
  if (flags.bundle === 'blog_agent') return blogAgent({ workspace, mode });
  const isolation = mode === 'read-only' ? undefined : await isolationFor(flags.sandbox);
  const hidden = ownFolders(host, workspace.folder ?? host.cwd);
  return codeAgent({ workspace, mode, signal, commands: { isolation, hidden, timeoutMs: COMMAND_MS } });
}

async function isolationFor(sandbox = 'auto'): Promise<'auto' | 'required' | 'none'> {
  if (sandbox === 'off') return 'none';
  if (sandbox !== 'required') return 'auto';
  if ((await isolationName(sandbox)) !== undefined) return 'required';
  throw usageError(
    '--sandbox required: this system has no way to isolate commands. Install bubblewrap, or give --sandbox auto, which says so in each result.',
  );
}

/** Returns the name of what isolates commands; undefined if nothing does. */
export async function isolationName(sandbox = 'auto'): Promise<string | undefined> {
  if (sandbox === 'off') return undefined;
  const { detectIsolation } = await import('@kernel/toolbox/commands');
  return (await detectIsolation())?.name;
}
