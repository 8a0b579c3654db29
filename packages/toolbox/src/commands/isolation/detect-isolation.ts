import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { commandVariables, DEFAULT_VARIABLES } from '../environment.ts';
import { startProcess } from '../process/start-process.ts';
import { bubblewrap } from './bubblewrap.ts';
import { linuxNamespaces } from './namespaces.ts';
import { sandboxExec } from './sandbox-exec.ts';
import type { Isolation } from './types.ts';

/** The isolation that works on this system, or why none does. */
export type DetectedIsolation =
  | {
      /** The first that works, in order of preference. */
      readonly isolation: Isolation;
    }
  | {
      /** None works. */
      readonly isolation: undefined;
      /** What was tried, and what the system refused, in whole sentences. */
      readonly reason: string;
      /** What to do about it, in whole sentences. */
      readonly hint: string;
    };

const PROBE_MS = 10_000;
const COMMAND = ['/bin/sh', '-c', 'exit 0'] as const;
const HINTS: Partial<Record<NodeJS.Platform, string>> = {
  linux:
    'Install bubblewrap for all users. A container of Docker has to be started with "--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined"; Ubuntu has to be set to kernel.apparmor_restrict_unprivileged_userns=0.',
};
let detected: Promise<DetectedIsolation> | undefined;

/**
 * Detects how commands can be isolated on this system: bubblewrap, the namespaces of Linux, or the sandbox of macOS.
 * Each is tried with one command, isolated as every later one is. Detected once per process.
 *
 * @example
 * ```ts
 * import { commandTools, createWorkspace } from '@kernel/toolbox';
 * import { detectIsolation } from '@kernel/toolbox/commands';
 *
 * const workspace = await createWorkspace({ root: process.cwd() });
 * const { isolation } = await detectIsolation();
 * const { tools } = commandTools({ workspace, isolation: isolation ?? 'required' });
 * ```
 */
export function detectIsolation(): Promise<DetectedIsolation> {
  detected ??= detect();
  return detected;
}

async function detect(): Promise<DetectedIsolation> {
  const reasons: string[] = [];
  for (const isolation of candidates()) {
    const reason = await whyRefused(isolation);
    if (reason === undefined) return { isolation };
    reasons.push(reason);
  }
  return {
    isolation: undefined,
    reason: reasons.join(' ') || `There is none for ${process.platform}.`,
    hint: HINTS[process.platform] ?? 'Run this program in a container.',
  };
}

function candidates(): readonly Isolation[] {
  if (process.platform === 'darwin') return [sandboxExec()];
  const all = process.platform === 'linux' ? [bubblewrap(), linuxNamespaces()] : [];
  // Bubblewrap leaves root the owner of writable devices.
  return process.getuid?.() === 0 ? all.toReversed() : all;
}

async function whyRefused(isolation: Isolation): Promise<string | undefined> {
  try {
    await timeToRun(isolation);
    return undefined;
  } catch (error) {
    if (KernelError.is(error) && error.code === 'TOOL_UNAVAILABLE') return error.message;
    const [said = ''] = errorMessage(error).replace('The command did not start: ', '').split('\n');
    const refused = /^(?:mount|umount|pivot_root):/.test(said) ? 'to mount for' : 'to use';
    return `The system does not allow this user ${refused} ${isolation.name}: ${said}${said.endsWith('.') ? '' : '.'}`;
  }
}

/** Measures how much longer a command takes in an isolation than without one, in milliseconds. */
export async function measureIsolation(isolation: Isolation): Promise<number> {
  const isolatedMs = await timeToRun(isolation);
  return Math.max(0, isolatedMs - (await timeToRun()));
}

/** Runs a command that does nothing, in a folder like a workspace. Resolves to its time; rejects if it does not run. */
async function timeToRun(isolation?: Isolation): Promise<number> {
  // On macOS, the folder for temporary files is a link.
  const folder = realpathSync(await mkdtemp(join(tmpdir(), 'isolation-')));
  try {
    const [repository, hidden] = [join(folder, '.git'), join(folder, '.env')];
    await Promise.all([mkdir(repository), writeFile(hidden, '')]);
    const variables = commandVariables(DEFAULT_VARIABLES, folder);
    const [program, ...args] = COMMAND;
    const command = isolation?.wrap({
      command: COMMAND,
      folder,
      cwd: folder,
      variables,
      network: false,
      readable: [],
      hidden: [hidden],
      gitWritable: false,
    });
    const startedMs = performance.now();
    let said = '';
    const { exitCode, stoppedBy } = await startProcess(command ?? { program, args, variables }, {
      cwd: folder,
      input: '',
      timeoutMs: PROBE_MS,
      signal: AbortSignal.timeout(PROBE_MS),
      onOutput: (bytes) => (said += Buffer.from(bytes).toString()),
    });
    if (stoppedBy !== undefined) throw new Error(`a command that does nothing took longer than ${PROBE_MS} ms`);
    if (exitCode !== 0) throw new Error(said.trim() || `a command that does nothing ended with exit code ${exitCode}`);
    return performance.now() - startedMs;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function resolveIsolation(
  option: Isolation | 'auto' | 'required' | 'none' = 'auto',
): Promise<Isolation | undefined> {
  if (typeof option === 'object') return option;
  if (option === 'none') return undefined;
  const found = await detectIsolation();
  if (found.isolation !== undefined || option === 'auto') return found.isolation;
  throw new KernelError('TOOL_FAILED', `Commands must be isolated, but no isolation works here. ${found.reason}`, {
    hint: `${found.hint} Or pass containerIsolation({ image }).`,
  });
}
