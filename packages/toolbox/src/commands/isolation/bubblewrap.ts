import { requireProgram, repositoryOf, isFolder, readableFolders } from './system-folders.ts';
import { announceByDescriptor, runUnannounced } from './announce-start.ts';
import type { Isolation } from './types.ts';

/** Isolates with bubblewrap, the program behind Flatpak: namespaces of its own, and a file tree that has only what is named. */
export function bubblewrap(): Isolation {
  return {
    name: 'bubblewrap',
    worksInTerminals: true,
    wrap({ command, folder, cwd, variables, network, readable, hidden, gitWritable, inTerminal = false }) {
      const shown = [...readableFolders(variables['PATH'] ?? '', network), ...readable];
      const args = [
        ...'--unshare-all --die-with-parent --new-session --cap-drop ALL --hostname isolated'.split(' '),
        ...(network ? ['--share-net'] : []),
        ...shown.flatMap((path) => ['--ro-bind', path, path]),
        ...'--dev /dev --proc /proc --tmpfs /tmp --tmpfs /run'.split(' '),
        '--bind',
        folder,
        folder,
        ...(gitWritable ? [] : repositoryOf(folder)).flatMap((path) => ['--ro-bind', path, path]),
        ...hidden.flatMap((path) => (isFolder(path) ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path])),
        '--remount-ro',
        '/',
        '--chdir',
        cwd,
        '--',
        ...(inTerminal ? runUnannounced(command) : announceByDescriptor(command)),
      ];
      return {
        program: requireProgram('bwrap', 'The isolation with bubblewrap', folder),
        args,
        variables: { ...variables, HOME: '/tmp', TMPDIR: '/tmp' },
        announcesStart: !inTerminal,
      };
    },
  };
}
