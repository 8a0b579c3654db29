import { existsSync } from 'node:fs';
import { requireProgram, repositoryOf, isInside, readableFolders } from './system-folders.ts';
import { announceByDescriptor, runUnannounced } from './announce-start.ts';
import type { Isolation } from './types.ts';

/**
 * Builds a tree with only what is named, of which what is readable is read-only, with all that is mounted below it; makes the tree the root, drops every
 * capability and runs the command. Arguments: the folder that is mounted over to build the tree, the folder of the command, where it starts, the number of
 * readable paths and the paths, the same for paths that stay as they are and for hidden ones, the command.
 */
const SCRIPT = `
set -eu
path=\${PATH-}
PATH=/usr/sbin:/usr/bin:/sbin:/bin
new=$1 folder=$2 cwd=$3 count=$4
shift 4
mount --make-rprivate /
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$new"
show() {
  if [ -d "$1" ]; then mkdir -p "$new$1"; else mkdir -p "$new$(dirname "$1")"; : > "$new$1"; fi
  mount --rbind "$1" "$new$1"
}
seal() {
  for flags in ,nosuid,nodev '' ,nosuid,nodev,noexec; do
    if mount -o "remount,bind,ro$flags" "$1" 2>/dev/null; then return; fi
  done
  mount -t tmpfs -o ro,mode=755,nosuid,nodev tmpfs "$1"
}
while [ "$count" -gt 0 ]; do
  show "$1"
  count=$((count - 1))
  shift
done
hidden=1 # what was mounted there before
while read -r _ _ _ _ point _; do
  case $point in *\\\\*) point=$(printf '%b' "$point") ;; esac
  case $point in
    "$new") hidden=0 ;;
    "$new"/*) [ "$hidden" = 1 ] || seal "$point" ;;
  esac
done < /proc/self/mountinfo
cd "$new"
mkdir -p dev proc tmp run old
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs tmp
mount -t proc -o nosuid,nodev,noexec proc proc
for device in null zero full random urandom; do
  : > "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
show "$folder"
count=$1
shift
while [ "$count" -gt 0 ]; do
  mount --bind "$1" "$new$1"
  mount -o remount,bind,ro "$new$1"
  count=$((count - 1))
  shift
done
count=$1
shift
while [ "$count" -gt 0 ]; do
  if [ -d "$1" ]; then mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$new$1"; else mount --bind /dev/null "$new$1"; fi
  count=$((count - 1))
  shift
done
pivot_root . old
umount -l /old
rmdir /old
mount -o remount,ro /
cd "$cwd"
run=$(command -v setpriv)
PATH=$path
exec "$run" --no-new-privs --inh-caps=-all --bounding-set=-all -- "$@"
`;

/**
 * Keeps a shell that any signal of a terminal ends, and the namespaces with it: `unshare` itself blocks the one that asks it to end. The session is another one,
 * so that nothing can type into the terminal.
 */
const GUARD = '"$@"; exit $?';

/**
 * Isolates with the user namespaces of Linux, by the programs of util-linux (`unshare`, `mount`, `pivot_root`, `setpriv`). The command sees itself as
 * root, without any capabilities. It ends with the process that started it, also when that is killed.
 */
export function linuxNamespaces(): Isolation {
  return {
    name: 'Linux namespaces',
    worksInTerminals: true,
    wrap({ command, folder, cwd, variables, network, readable, hidden, gitWritable, inTerminal = false }) {
      const shown = [...readableFolders(variables['PATH'] ?? '', network), ...readable];
      const args = [
        ...'--user --map-root-user --mount --pid --ipc --uts --fork --kill-child'.split(' '),
        ...(network ? [] : ['--net']),
        '--',
        '/bin/sh',
        '-c',
        SCRIPT,
        'isolate',
        mountPointFor([folder, ...shown, ...hidden]),
        folder,
        cwd,
        ...counted(shown),
        ...counted(gitWritable ? [] : repositoryOf(folder)),
        ...counted(hidden),
        ...(inTerminal ? runUnannounced(command) : announceByDescriptor(command)),
      ];
      const purpose = 'The isolation with Linux namespaces';
      const unshare = requireProgram('unshare', purpose, folder);
      const isolated = { variables: { ...variables, HOME: '/tmp', TMPDIR: '/tmp' }, announcesStart: !inTerminal };
      // Also when what started it is killed, which can end nothing itself.
      const setpriv = requireProgram('setpriv', purpose, folder);
      const ends = ['--pdeathsig', 'KILL', '--'];
      if (!inTerminal) return { ...isolated, program: setpriv, args: [...ends, unshare, ...args] };
      const guarded = [setpriv, ...ends, requireProgram('setsid', purpose, folder), unshare, ...args];
      return { ...isolated, program: '/bin/sh', args: ['-c', GUARD, 'sh', ...guarded] };
    },
  };
}

/** A folder that can be mounted over while the tree is built, because nothing in it is needed. */
function mountPointFor(needed: readonly string[]): string {
  const isFree = (folder: string): boolean => existsSync(folder) && !needed.some((path) => isInside(folder, path));
  return ['/mnt', '/media', '/srv', '/boot', '/var'].find(isFree) ?? '/mnt';
}

function counted(paths: readonly string[]): readonly string[] {
  return [String(paths.length), ...paths];
}
