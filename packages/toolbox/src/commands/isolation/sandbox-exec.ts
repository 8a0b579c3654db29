import { readableFolders, repositoryOf } from './system-folders.ts';
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
    wrap({ command, folder, variables, network, readable, hidden, gitWritable }) {
      const shown = [...readableFolders(variables['PATH'] ?? '', network), ...MACOS, ...readable];
      const profile = [
        '(version 1)',
        '(deny default)',
        '(allow process-fork) (allow process-exec) (allow signal (target same-sandbox)) (allow sysctl-read)',
        '(allow file-read-metadata)',
        `(allow file-read* (literal "/") ${shown.map(subpath).join(' ')} ${subpath(folder)})`,
        `(allow file-write* ${subpath(folder)} (literal "/dev/null") (literal "/dev/tty"))`,
        ...(gitWritable ? [] : [...repositoryOf(folder), `${folder}/.git`]).map(
          (path) => `(deny file-write* ${subpath(path)})`,
        ),
        ...hidden.map((path) => `(deny file-read* file-write* ${subpath(path)})`),
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
