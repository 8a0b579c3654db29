import { type Mount, mountsOf } from './mounts.ts';
import type { Isolation } from './types.ts';

const MACOS = [
  '/System',
  '/Library/Apple',
  '/Library/Developer',
  '/private/var/db/timezone',
  '/private/var/select',
  '/dev',
  '/opt',
];

/** Isolates with the sandbox of macOS. */
export function sandboxExec(): Isolation {
  return {
    name: 'sandbox-exec',
    worksInTerminals: true,
    wrap(request) {
      const { command, folder, gitWritable, network, variables } = request;
      const mounts = mountsOf(request);
      const of = (wanted: Mount['how']): readonly string[] =>
        mounts.filter(({ how }) => how === wanted).map(({ path }) => path);
      const shown = [...of('read'), ...MACOS];
      const profile = [
        '(version 1)',
        '(deny default)',
        '(allow process-fork) (allow process-exec) (allow signal (target same-sandbox)) (allow sysctl-read)',
        '(allow file-read-metadata)',
        `(allow file-read* (literal "/") ${shown.map(subpath).join(' ')} ${subpath(folder)})`,
        `(allow file-write* ${subpath(folder)} (literal "/dev/null") (literal "/dev/tty"))`,
        '(deny file-write-setugid)',
        ...[...(gitWritable ? [] : [`${folder}/.git`]), ...of('sealed')].map(
          (path) => `(deny file-write* ${subpath(path)})`,
        ),
        // Of these folders, only the name is closed.
        ...of('pinned').map((path) => `(deny file-write-unlink file-write-create (literal ${quote(path)}))`),
        ...of('empty').map((path) => `(deny file-read* file-write* ${subpath(path)})`),
        ...(network ? ['(allow network*) (allow mach-lookup (global-name "com.apple.dnssd.service"))'] : []),
      ].join('\n');
      return { program: '/usr/bin/sandbox-exec', args: ['-p', profile, ...command], variables };
    },
  };
}

function subpath(path: string): string {
  return `(subpath ${quote(path)})`;
}

/** A string of the profile's language, which is Scheme. */
function quote(text: string): string {
  return `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;
}
