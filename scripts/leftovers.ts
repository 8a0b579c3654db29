/**
 * What the tests leave on a machine: `node scripts/leftovers.ts save FILE` before them, `node scripts/leftovers.ts compare FILE` after them, which
 * names every new entry of the temp folder and the home, and every process that still runs in this checkout or in the temp folder, and fails.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { entriesOf, newEntries, processesIn } from './lib/leftovers.ts';

/** How long a process may take to end by itself. */
const WAIT_MS = 60_000;

const [verb, file] = process.argv.slice(2);
if (file === undefined || (verb !== 'save' && verb !== 'compare')) {
  console.error('usage: node scripts/leftovers.ts save|compare FILE');
  process.exit(2);
}
const root = join(import.meta.dirname, '..');
const entries = () => ({ savedMs: Date.now(), temp: entriesOf(tmpdir(), 1), home: entriesOf(homedir(), 3) });
if (verb === 'save') writeFileSync(file, JSON.stringify(entries()));
else {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `save` wrote
  const before = JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof entries>;
  // A process that watches over others ends when they have, some seconds after the last test, and removes what it has made.
  const deadline = Date.now() + WAIT_MS;
  const running = (): readonly string[] => processesIn([root, tmpdir()], { sinceMs: before.savedMs });
  while (running().length > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 500));
  const now = entries();
  const left = [
    ...newEntries(before.temp, now.temp).map((name) => `in ${tmpdir()}: ${name}`),
    ...newEntries(before.home, now.home).map((name) => `in ${homedir()}: ${name}`),
    ...running().map((name) => `a process: ${name}`),
  ];
  for (const one of left) console.log(`LEFT BEHIND ${one}`);
  console.log(left.length === 0 ? 'leftovers: nothing was left behind' : `leftovers: ${left.length} were left behind`);
  process.exitCode = left.length === 0 ? 0 : 1;
}
