import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { requireProgram, repositoryOf, isFolder, isInside, outermost, readableFolders } from './system-folders.ts';
import { announceByDescriptor, runUnannounced } from './announce-start.ts';
import type { Isolation } from './types.ts';

/**
 * Builds a tree with only the named paths, all read-only but the folder; makes it the root, drops every capability and
 * runs the command. Arguments: the folder that is mounted over to build the tree; the folder of the command and its
 * repository as the mount table spells them; where the command starts; the files to create and the lines for
 * `mount --all`, each behind their number; the command.
 *
 * One process mounts everything, because each start of a program costs a millisecond. What is mounted below a readable
 * path is known only afterwards; its flags are kept, since the system lets no ordinary user clear them.
 */
const SCRIPT = `
set -eu
path=\${PATH-}
PATH=/usr/sbin:/usr/bin:/sbin:/bin
new=$1 folder=$2 repository=$3 cwd=$4 count=$5
shift 5
table=$new/proc/table # hidden by what is mounted there last
mount_all() {
  said=$(mount --all --fstab "$table" 2>&1) || { printf '%s\\n' "$said" >&2; exit 1; }
}
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$new"
mkdir "$new/dev" "$new/etc" "$new/proc" "$new/run" "$new/tmp"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$new/tmp"
ln -s /proc/self/fd "$new/dev/fd"
ln -s /proc/self/fd/0 "$new/dev/stdin"
ln -s /proc/self/fd/1 "$new/dev/stdout"
ln -s /proc/self/fd/2 "$new/dev/stderr"
while [ "$count" -gt 0 ]; do
  [ -d "\${1%/*}" ] || mkdir -p "\${1%/*}"
  : > "$1"
  count=$((count - 1))
  shift
done
count=$1
shift
while [ "$count" -gt 0 ]; do
  printf '%s\\n' "$1"
  count=$((count - 1))
  shift
done > "$table"
mount_all
while read -r _ _ _ _ point flags _; do
  case $point in
    "$new") seals='' ;; # what was mounted there before cannot be reached
    "$new$repository") ;;
    "$new$folder" | "$new$folder"/* | "$new/tmp") continue ;;
    "$new"/*) ;;
    *) continue ;;
  esac
  seals="none $point none remount,bind,$flags,ro,nosuid,nodev
\${seals-}"
done < /proc/self/mountinfo
{
  printf '%s\\n' "proc $new/proc proc nosuid,nodev,noexec" "$seals"
  for device in null zero full random urandom; do
    : > "$new/dev/$device"
    printf '%s\\n' "/dev/$device $new/dev/$device none bind"
  done
} > "$table"
mount_all
cd "$new"
pivot_root . run
umount -l /run
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
      const named = [...readableFolders(variables['PATH'] ?? '', network), ...readable].map((path) => resolve(path));
      // The folder has its own already, which are not read-only, and `/tmp` is the command's own.
      const shown = outermost(named.filter((path) => path !== '/tmp' && !isInside(folder, path)));
      const repository = gitWritable ? [] : repositoryOf(folder);
      const root = mountPointFor([folder, ...shown, ...hidden]);
      const lineFor = (path: string, options: string, from = path): string =>
        `${inTable(from)} ${inTable(root + path)} none ${options}${isFolder(from) ? ',X-mount.mkdir' : ''}`;
      const lines = [
        ...[...shown, folder].map((path) => lineFor(path, 'rbind')),
        ...repository.map((path) => lineFor(path, 'bind')),
        ...hidden.map((path) =>
          isFolder(path)
            ? `tmpfs ${inTable(root + path)} tmpfs mode=755,nosuid,nodev`
            : lineFor(path, 'bind', '/dev/null'),
        ),
      ];
      const files = [...shown, ...repository].filter((path) => !isFolder(path));
      const args = [
        ...'--user --map-root-user --mount --pid --ipc --uts --fork --kill-child'.split(' '),
        ...(network ? [] : ['--net']),
        '--',
        '/bin/sh',
        '-c',
        SCRIPT,
        'isolate',
        root,
        inTable(folder),
        repository.map(inTable).join(''),
        cwd,
        ...counted(files.map((path) => root + path)),
        ...counted(lines),
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

/** A path as the tables of mounts spell it: both that of the system and the one that `mount` reads. */
function inTable(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (each) => `\\${each.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** A folder that can be mounted over while the tree is built, because nothing in it is needed. */
function mountPointFor(needed: readonly string[]): string {
  const isFree = (folder: string): boolean => !needed.some((path) => isInside(folder, path));
  // The table of mounts has paths without links.
  const folders = ['/mnt', '/media', '/srv', '/boot', '/var'].filter((folder) => existsSync(folder));
  return folders.map((folder) => realpathSync(folder)).find(isFree) ?? '/mnt';
}

function counted(paths: readonly string[]): readonly string[] {
  return [String(paths.length), ...paths];
}
