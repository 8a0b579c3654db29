import { existsSync } from 'node:fs';
import { announceByDescriptor } from './announce-start.ts';
import { startOnLinux, TMP_BYTES } from './limits.ts';
import { type Mount, mountsOf, PROC_EMPTY } from './mounts.ts';
import { withoutKeyring } from './namespaces.ts';
import { isFolder, requireProgram } from './system-folders.ts';
import type { Isolation } from './types.ts';

/** Isolates with bubblewrap, the program behind Flatpak: namespaces of its own, and a file tree that has only what is named. */
export function bubblewrap(): Isolation {
  return {
    name: 'bubblewrap',
    worksInTerminals: true,
    wrap(request) {
      const { cwd, folder, network } = request;
      const mounts = mountsOf(request);
      return startOnLinux(request, [
        ...withoutKeyring(folder),
        requireProgram('bwrap', 'The isolation with bubblewrap', folder),
        ...'--unshare-all --die-with-parent --new-session --cap-drop ALL --hostname isolated'.split(' '),
        ...(network ? ['--share-net'] : []),
        ...`--dev /dev --proc /proc --size ${TMP_BYTES} --tmpfs /tmp --tmpfs /run`.split(' '),
        ...PROC_EMPTY.map((name) => `/proc/${name}`).flatMap((path) =>
          existsSync(path) ? ['--ro-bind', '/dev/null', path] : [],
        ),
        ...mounts.flatMap(optionsOf),
        ...['/dev', '/proc', '/run', '/'].flatMap((path) => ['--remount-ro', path]),
        '--chdir',
        cwd,
        '--',
        ...announceByDescriptor(request),
      ]);
    },
  };
}

/** It mounts all but devices with `nosuid` and `nodev`. */
function optionsOf({ how, path }: Mount): readonly string[] {
  if (how === 'empty')
    return isFolder(path) ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path];
  return [how === 'write' || how === 'pinned' ? '--bind' : '--ro-bind', path, path];
}
