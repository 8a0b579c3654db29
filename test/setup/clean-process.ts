/**
 * Runs before every test file. The files of a project share one process, so what a file changes there, the next ones would see: behind each
 * file its folders are removed, and it fails if the process is not as it found it.
 */
import { afterAll } from 'vitest';
import { removeTemporaryFolders } from './temporary-folder.ts';

/** What the files of a process share, by name. Not what a library adds when it is imported for the first time, such as a listener of its own. */
function sharedState(): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ['the current folder', process.cwd()],
    ['setTimeout', globalThis.setTimeout],
    ['Date', globalThis.Date],
    ['fetch', globalThis.fetch],
    ['console.log', console.log],
    ['stdout.write', process.stdout.write],
    ['stderr.write', process.stderr.write],
    ['the umask', process.umask()],
    ...Object.entries(process.env).map(([name, value]) => [`the environment variable ${name}`, value] as const),
  ]);
}

const before = sharedState();

afterAll(() => {
  removeTemporaryFolders();
  const after = sharedState();
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  if (changed.length > 0) throw new Error(`The test file changed ${changed.join(', ')}, which other files share.`);
});
