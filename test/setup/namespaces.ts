/** Whether this system lets its user isolate a command by Linux namespaces. */
import { execFileSync } from 'node:child_process';
import { findProgram } from '../../packages/internal/src/find-program.ts';
import { systemFeature } from './system-feature.ts';

/** Whether a program is there and succeeds. */
export function succeeds(name: string, ...args: readonly string[]): boolean {
  const program = findProgram(name);
  try {
    if (program !== undefined) execFileSync(program, args, { stdio: 'ignore' });
    return program !== undefined;
  } catch {
    return false;
  }
}

/** What the isolation asks of a system. A container may allow namespaces, and refuse to mount in them. */
export const namespaces = systemFeature(
  'unshare of Linux namespaces',
  succeeds(
    'unshare',
    ...'--user --map-root-user --mount --pid --net --fork -- /bin/sh -c'.split(' '),
    'mount -t tmpfs tmpfs /mnt && mkdir /mnt/usr /mnt/proc && mount --rbind /usr /mnt/usr && mount -t proc proc /mnt/proc',
  ),
  [
    'toolbox.isolation',
    'toolbox.isolation.cost',
    'toolbox.isolation.reach',
    'toolbox.isolation.setid',
    'cli.sandbox.own',
  ],
);
