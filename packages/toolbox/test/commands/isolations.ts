import { readdirSync, readFileSync } from 'node:fs';
import { bubblewrap, linuxNamespaces } from '../../src/commands/index.ts';
import { namespaces, succeeds } from '../../../../test/setup/namespaces.ts';
import { systemFeature } from '../../../../test/setup/system-feature.ts';

/** The isolations of Linux, and whether they work here. */
export const isolations = [
  {
    name: 'bubblewrap',
    isolation: bubblewrap(),
    feature: systemFeature('bubblewrap', succeeds('bwrap', '--unshare-all', '--ro-bind', '/', '/', '/bin/true')),
  },
  { name: 'Linux namespaces', isolation: linuxNamespaces(), feature: namespaces },
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
