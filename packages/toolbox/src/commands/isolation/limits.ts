import { release, totalmem } from 'node:os';

const GIB = 1_073_741_824;
const OPEN_FILES = 65_536;
const FILE_BYTES = 16 * GIB;
const DATA_BYTES = Math.floor(totalmem() * 0.75);

export const PROCESSES = 4096;
export const TMP_BYTES = Math.min(4 * GIB, Math.floor(totalmem() / 4));
export const TMP_FILES = 500_000;

/**
 * Limits a shell and what it starts. No program can limit memory for all of its processes together, so the system is told to end these first when it runs out. The
 * limit for one process can be raised: a sanitizer reserves more than there is.
 */
export const SET_LIMITS = `
{
  ulimit -f ${FILE_BYTES / 512}
  ulimit -S -d ${Math.floor(DATA_BYTES / 1024)}
  ulimit -H -n ${OPEN_FILES}
  ${isKernel(5, 14) ? `ulimit -u ${PROCESSES} || ulimit -p ${PROCESSES}` : ':'}
  echo 1000 > /proc/self/oom_score_adj
} 2>/dev/null
`;

export const LIMITS = `${PROCESSES} processes, ${inGib(DATA_BYTES)} of memory in each (raised by "ulimit -S -d unlimited"), ${inGib(TMP_BYTES)} in /tmp, ${inGib(FILE_BYTES)} in a file, ${OPEN_FILES} open files`;

/** Whether the kernel is at least of a version: the first that counts processes by user namespace is 5.14, the first with a highest id by PID namespace 6.14. */
export function isKernel(major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = release().split('.').map(Number);
  return process.platform === 'linux' && (ownMajor > major || (ownMajor === major && ownMinor >= minor));
}

function inGib(bytes: number): string {
  return `${Math.round((bytes / GIB) * 10) / 10} GiB`;
}
