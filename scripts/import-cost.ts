/**
 * Measures what importing packages costs over bare Node: CPU time of whole processes, interleaved, medians. Build first.
 * `node scripts/import-cost.ts [package …]`
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const RUNS = 21;
const cwd = join(import.meta.dirname, '../test/e2e');
const given = process.argv.slice(2);
const groups =
  given.length > 0
    ? [given]
    : [
        ['@kernel/protocol', '@kernel/tools', '@kernel/agent'],
        ['@kernel/protocol', '@kernel/tools', '@kernel/agent', '@kernel/providers'],
      ];

/** Milliseconds of CPU, user and system, of one process that imports these. */
function cpuOf(names: readonly string[]): number {
  const script = `${names.map((name) => `await import('${name}');`).join('')}
    const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000));`;
  const { stdout, status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

for (const names of groups) {
  const pairs = Array.from({ length: RUNS }, () => [cpuOf([]), cpuOf(names)] as const);
  const bare = median(pairs.map(([without]) => without));
  const cost = median(pairs.map(([without, with_]) => with_ - without));
  console.log(
    `${names.join(' + ')}: ${cost.toFixed(1)} ms of CPU over bare Node (${bare.toFixed(1)} ms), median of ${RUNS} pairs`,
  );
}
