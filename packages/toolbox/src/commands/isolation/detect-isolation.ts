import { realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandVariables } from '../environment.ts';
import { startProcess } from '../process/start-process.ts';
import { bubblewrap } from './bubblewrap.ts';
import { linuxNamespaces } from './namespaces.ts';
import { sandboxExec } from './sandbox-exec.ts';
import type { Isolation } from './types.ts';
import { KernelError } from '@kernel/protocol';

const PROBE_MS = 10_000;
let detected: Promise<Isolation | undefined> | undefined;

/**
 * Detects how commands can be isolated on this system: bubblewrap, the namespaces of Linux, or the sandbox of macOS. Each is tried with a command
 * that does nothing. Resolves to undefined if none works. Detected once per process.
 *
 * @example
 * ```ts
 * import { commandTools, createWorkspace } from '@kernel/toolbox';
 * import { detectIsolation } from '@kernel/toolbox/commands';
 *
 * const workspace = await createWorkspace({ root: process.cwd() });
 * const { tools } = commandTools({ workspace, isolation: await detectIsolation() });
 * ```
 */
export function detectIsolation(): Promise<Isolation | undefined> {
  detected ??= detect();
  return detected;
}

async function detect(): Promise<Isolation | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'isolation-'));
  try {
    for (const isolation of candidates()) {
      // The list is in order of preference: a later one is tried only if the earlier ones do not work.
      if (await works(isolation, folder)) return isolation;
    }
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function candidates(): readonly Isolation[] {
  if (process.platform === 'darwin') return [sandboxExec()];
  return process.platform === 'linux' ? [bubblewrap(), linuxNamespaces()] : [];
}

async function works(isolation: Isolation, folder: string): Promise<boolean> {
  // On macOS, the folder for temporary files is a link.
  const real = realpathSync(folder);
  try {
    const isolated = isolation.wrap({
      command: ['/bin/sh', '-c', 'exit 0'],
      folder: real,
      cwd: real,
      variables: commandVariables(['PATH'], real),
      network: false,
      readable: [],
      hidden: [],
      gitWritable: false,
    });
    const signal = AbortSignal.timeout(PROBE_MS);
    const { exitCode } = await startProcess(isolated, {
      cwd: real,
      input: '',
      timeoutMs: PROBE_MS,
      signal,
      onOutput() {},
    });
    return exitCode === 0;
  } catch {
    // The program is not there, or it takes too long.
    return false;
  }
}

export async function resolveIsolation(
  option: Isolation | 'auto' | 'required' | 'none' = 'auto',
): Promise<Isolation | undefined> {
  if (typeof option === 'object') return option;
  if (option === 'none') return undefined;
  const found = await detectIsolation();
  if (found !== undefined || option === 'auto') return found;
  throw new KernelError('TOOL_FAILED', 'Commands must be isolated, but no isolation works on this system.', {
    hint: 'Install bubblewrap, or pass containerIsolation({ image }).',
  });
}
