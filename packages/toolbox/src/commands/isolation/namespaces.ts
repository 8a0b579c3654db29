import { existsSync, realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { findProgram } from '@kernel/internal';
import { isInside } from '../../workspace/paths.ts';
import { announceByDescriptor } from './announce-start.ts';
import { isKernel, PROCESSES, startOnLinux, TMP_BYTES, TMP_FILES } from './limits.ts';
import { DEVICES, type Mount, mountsOf, PROC_EMPTY } from './mounts.ts';
import { isFolder, requireProgram } from './system-folders.ts';
import type { Isolation } from './types.ts';

/**
 * Builds a tree with only what the table names, all read-only but the workspace; makes it the root, drops every
 * capability and runs the command. Arguments: the folder that is mounted over to build the tree; the workspace, as the
 * mount table spells it, and between spaces what is sealed in it; where the command starts; the most processes; then
 * the folders and the files to create and the lines for `mount --all`, each behind their number; the command.
 *
 * One process mounts everything, because each start of a program costs a millisecond. What is mounted below a readable
 * path is known only afterwards; its flags are kept, since the system lets no ordinary user clear them.
 */
const SCRIPT = `
set -eu
path=\${PATH-}
PATH=/usr/sbin:/usr/bin:/sbin:/bin
new=$1 folder=$2 sealed=$3 cwd=$4 processes=$5 count=$6
shift 6
table=$new/proc/table # hidden by what is mounted there last
mount_all() {
  said=$(mount --all --fstab "$table" 2>&1) || { printf '%s\\n' "$said" >&2; exit 1; }
}
[ -z "$processes" ] || { echo "$processes" > /proc/sys/kernel/pid_max; } 2>/dev/null || :
{ echo 0 > /proc/sys/user/max_user_namespaces; } 2>/dev/null || : # each one would have all capabilities
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$new"
mount -t tmpfs -o X-mount.mkdir,mode=1777,nosuid,nodev,size=${TMP_BYTES},nr_inodes=${TMP_FILES} tmpfs "$new/tmp"
made='' number=1
while [ "$number" -le "$count" ]; do
  made="$made \\"\\\${$number}\\""
  number=$((number + 1))
done
eval "mkdir -p $made"
shift "$count"
ln -s /proc/self/fd "$new/dev/fd"
ln -s /proc/self/fd/0 "$new/dev/stdin"
ln -s /proc/self/fd/1 "$new/dev/stdout"
ln -s /proc/self/fd/2 "$new/dev/stderr"
count=$1
shift
while [ "$count" -gt 0 ]; do
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
  seal=ro,nosuid,nodev
  case $point in
    "$new") seals='' ;; # what was mounted there before cannot be reached
    "$new/tmp") continue ;;
    "$new$folder" | "$new$folder"/*) case $sealed in *" $point "*) ;; *) seal=nosuid,nodev ;; esac ;;
    "$new"/*) ;;
    *) continue ;;
  esac
  seals="none $point none remount,bind,$flags,$seal
\${seals-}"
done < /proc/self/mountinfo
{
  printf '%s\\n' "proc $new/proc proc ro,nosuid,nodev,noexec" "$seals"
  for name in ${DEVICES.join(' ')}; do
    : > "$new/dev/$name"
    printf '%s\\n' "/dev/$name $new/dev/$name none bind" "none $new/dev/$name none remount,bind,ro,nosuid,noexec"
  done
  for name in ${PROC_EMPTY.join(' ')}; do
    [ ! -e "/proc/$name" ] || printf '%s\\n' "$new/run/empty $new/proc/$name none bind"
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

/** The system call by which a process joins a new session keyring. No program of util-linux makes it. */
const JOIN_SESSION_KEYRING: Partial<Record<NodeJS.Architecture, string>> = { arm64: '219, 1, 0', x64: '250, 1, 0' };

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
    wrap(request) {
      const { cwd, folder, inTerminal = false, network } = request;
      const mounts = mountsOf(request);
      const root = mountPointFor(mounts.map(({ path }) => path));
      const empty = `${root}/run/empty`;
      const files = mounts.filter(({ how, path }) => how === 'read' && !isFolder(path)).map(({ path }) => root + path);
      const folders = ['/dev', '/etc', '/proc', '/run'].map((path) => root + path);
      const sealed = mounts.flatMap(({ how, path }) => (how === 'sealed' ? [inTable(root + path)] : []));
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
        ` ${sealed.join(' ')} `,
        cwd,
        isKernel(6, 14) ? String(PROCESSES) : '',
        ...counted([...new Set([...folders, ...files.map((file) => dirname(file))])]),
        ...counted([empty, ...files]),
        ...counted(mounts.flatMap((mount) => linesOf(mount, root, empty))),
        ...announceByDescriptor(request),
      ];
      const purpose = 'The isolation with Linux namespaces';
      const unshare = requireProgram('unshare', purpose, folder);
      // Also when what started it is killed, which can end nothing itself.
      const setpriv = requireProgram('setpriv', purpose, folder);
      const started = [...withoutKeyring(folder), setpriv, '--pdeathsig', 'KILL', '--'];
      if (inTerminal) started.push(requireProgram('setsid', purpose, folder));
      return startOnLinux(request, [...started, unshare, ...args], inTerminal ? GUARD : undefined);
    },
  };
}

/** Returns the words that start a program with an empty session keyring; none if the system has no Perl, which can. */
export function withoutKeyring(workspace: string): readonly string[] {
  const call = JOIN_SESSION_KEYRING[process.arch];
  const perl = call === undefined ? undefined : findProgram('perl', { workspace });
  return perl === undefined ? [] : [perl, '-e', `syscall(${call}); exec { $ARGV[0] } @ARGV or die`, '--'];
}

function linesOf({ how, path }: Mount, root: string, empty: string): readonly string[] {
  const point = inTable(root + path);
  const bind = (from: string, options: string): string => `${inTable(from)} ${point} none ${options}`;
  if (how === 'empty')
    return isFolder(path)
      ? [`tmpfs ${point} tmpfs mode=755,ro,nosuid,nodev,size=4k`]
      : [bind(empty, 'bind'), `none ${point} none remount,bind,ro,nosuid,nodev`];
  return [bind(path, (how === 'sealed' ? 'bind' : 'rbind') + (isFolder(path) ? ',X-mount.mkdir' : ''))];
}

/** A path as the tables of mounts spell it: both that of the system and the one that `mount` reads. */
function inTable(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (each) => `\\${each.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** A folder that can be mounted over while the tree is built, because nothing in it is needed. */
function mountPointFor(needed: readonly string[]): string {
  const isFree = (folder: string): boolean => !needed.some((path) => isInside(folder, path, sep));
  // The table of mounts has paths without links.
  const folders = ['/mnt', '/media', '/srv', '/boot', '/var'].filter((folder) => existsSync(folder));
  return folders.map((folder) => realpathSync(folder)).find(isFree) ?? '/mnt';
}

function counted(paths: readonly string[]): readonly string[] {
  return [String(paths.length), ...paths];
}
