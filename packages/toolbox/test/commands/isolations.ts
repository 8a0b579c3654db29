import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { findProgram } from '@kernel/internal';
import { bubblewrap, linuxNamespaces } from '../../src/commands/index.ts';
import { systemFeature } from '../../../../test/setup/system-feature.ts';

const works = (name: string, ...args: readonly string[]): boolean => {
  const program = findProgram(name);
  try {
    if (program !== undefined) execFileSync(program, args, { stdio: 'ignore' });
    return program !== undefined;
  } catch {
    return false;
  }
};

/** The isolations of Linux, and whether they work here. */
export const isolations = [
  {
    name: 'bubblewrap',
    isolation: bubblewrap(),
    feature: systemFeature('bubblewrap', works('bwrap', '--unshare-all', '--ro-bind', '/', '/', '/bin/true')),
  },
  {
    name: 'Linux namespaces',
    isolation: linuxNamespaces(),
    feature: systemFeature(
      'unshare of Linux namespaces',
      works(
        'unshare',
        ...'--user --map-root-user --mount --pid --net --fork -- /bin/sh -c'.split(' '),
        // What the isolation asks of a system: a container may allow namespaces, and refuse to mount in them.
        'mount -t tmpfs tmpfs /mnt && mkdir /mnt/usr /mnt/proc && mount --rbind /usr /mnt/usr && mount -t proc proc /mnt/proc',
      ),
      ['toolbox.isolation'],
    ),
  },
];

/** The processes of this machine that have a word among their arguments. */
export const processesWith = (word: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
    } catch {
      return false;
    }
  });
