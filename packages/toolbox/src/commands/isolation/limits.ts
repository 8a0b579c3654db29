import { release, totalmem } from 'node:os';
import { isInside } from '../../workspace/paths.ts';
import type { IsolatedCommand, IsolationRequest } from './types.ts';

const GIB = 1_073_741_824;
const OPEN_FILES = 65_536;
const FILE_BYTES = 16 * GIB;
const DATA_BYTES = Math.floor(totalmem() * 0.75);

export const PROCESSES = 4096;
export const TMP_BYTES = Math.min(4 * GIB, Math.floor(totalmem() / 4));
export const TMP_FILES = 500_000;

/**
 * Has the system end a shell and what it starts before other programs when memory runs out: nothing limits the memory
 * of all processes together.
 */
const END_FIRST = '{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null';

/** Limits a shell and what it starts. The limit of memory can be raised: a sanitizer reserves more than there is. */
export const SET_LIMITS = `
{
  ulimit -f ${FILE_BYTES / 512}
  ulimit -S -d ${Math.floor(DATA_BYTES / 1024)}
  ulimit -H -n ${OPEN_FILES}
  ${isKernel(5, 14) ? `ulimit -u ${PROCESSES} || ulimit -p ${PROCESSES}` : ':'}
} 2>/dev/null
${END_FIRST}
`;

/** The home of an isolated command: `/tmp`, new and empty. None in a workspace, whose files a login shell would run. */
export function homeFor({ folder }: Pick<IsolationRequest, 'folder'>): string {
  return isInside(folder, '/tmp') ? '/nonexistent' : '/tmp';
}

/** Starts the words that isolate a command on Linux, by a shell that is ended first and runs `script`. */
export function startOnLinux(
  request: IsolationRequest,
  words: readonly string[],
  script = 'exec "$@"',
): IsolatedCommand {
  const { inTerminal = false, variables } = request;
  return {
    program: '/bin/sh',
    args: ['-c', `${END_FIRST}; ${script}`, 'sh', ...words],
    variables: { ...variables, HOME: homeFor(request), TMPDIR: '/tmp' },
    announcesStart: !inTerminal,
    limits: LIMITS,
  };
}

export const LIMITS = `${PROCESSES} processes, ${inGib(DATA_BYTES)} of memory in each (raised by "ulimit -S -d unlimited"), ${inGib(TMP_BYTES)} in /tmp, ${inGib(FILE_BYTES)} in a file, ${OPEN_FILES} open files`;

/**
 * Whether the kernel is at least of a version. From 5.14 on, it counts processes by user namespace; from 6.14 on, each
 * PID namespace has a highest id of its own, which holds for root, too.
 */
export function isKernel(major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = release().split('.').map(Number);
  return process.platform === 'linux' && (ownMajor > major || (ownMajor === major && ownMinor >= minor));
}

function inGib(bytes: number): string {
  return `${Math.round((bytes / GIB) * 10) / 10} GiB`;
}
