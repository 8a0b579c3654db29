/**
 * Runs the `test` tasks through turbo: `node scripts/run-tests.ts [--all] [flags of turbo]`; with `--all`, also `test:slow`: engines, kills, soak,
 * other people's clients, runtimes and browsers. Some tests read data that lies beside the repository,
 * where turbo does not look; `SHARED_DATA`, its digest, is therefore part of what decides whether a cached outcome counts, and so is the path of
 * the browser, `CHROMIUM`, and which runtimes of the folder `runtimes` are absent.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumPath } from '../test/setup/chromium.ts';
import { absenceReport } from '../test/setup/runtimes.ts';

const root = join(import.meta.dirname, '..');

/** The digest of the names and contents of all files in a folder; `absent` if there is none. */
function digestOf(folder: string): string {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  if (files.length === 0) return 'absent';
  const hash = createHash('sha256');
  for (const file of files.map((entry) => join(entry.parentPath, entry.name)).toSorted())
    hash.update(file.slice(folder.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

const flags = process.argv.slice(2).filter((flag) => flag !== '--all');
const tasks = process.argv.includes('--all') ? ['test', 'test:slow'] : ['test'];
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/turbo/bin/turbo'), 'run', ...tasks, ...flags],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      SHARED_DATA: digestOf(join(root, '../shared/data')),
      CHROMIUM: chromiumPath(),
      RUNTIMES: absenceReport().lines.join('\n'),
    },
  },
);
process.exitCode = status ?? 1;
