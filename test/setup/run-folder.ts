/**
 * Gives the tests of a project a temp folder of their own, and fails if anything is left in it: what a test leaves there, or the code under
 * test, would stay on the machines of those who run them. Tools that keep caches there by design are named.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The variables in which systems name the temp folder. */
const VARIABLES = ['TMPDIR', 'TEMP', 'TMP'] as const;

/** Set while a folder is in use: the projects of one run share it. */
const IN_USE = 'TESTS_HAVE_FOLDER';

/** Runs before the first test of a project; the result, after the last of all projects. */
export default function setup(): (() => void) | undefined {
  if (process.env[IN_USE] === 'yes') return undefined;
  process.env[IN_USE] = 'yes';
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  // As the temp folder of a system: some tests start processes of another user.
  chmodSync(folder, 0o1777);
  for (const name of VARIABLES) process.env[name] = folder;
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    delete process.env[IN_USE];
    const left = readdirSync(folder);
    rmSync(folder, { recursive: true, force: true });
    if (left.length > 0)
      throw new Error(`${left.length} entries were left in the temp folder: ${left.slice(0, 20).join(', ')}`);
  };
}
