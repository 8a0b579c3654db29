/**
 * Measures what a start of `prompt-agent` costs: CPU time of whole processes, interleaved with bare Node, medians. Build first.
 * `node scripts/start-cost.ts`
 */
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RUNS = 15;
const CLI = join(import.meta.dirname, '../apps/prompt-agent/dist/cli.js');
/** Writes the CPU time of the process to its file descriptor 3, in milliseconds. */
const METER = `data:text/javascript,${encodeURIComponent(
  "import { writeSync } from 'node:fs'; process.on('exit', () => { const { user, system } = process.cpuUsage(); writeSync(3, String((user + system) / 1000)); });",
)}`;
const cases = [
  { name: '--help', args: [CLI, '--help'], most: 'at most 40 ms over bare Node' },
  // The first start of all fills the compile cache.
  { name: 'an offline answer', args: [CLI, '--no-session', '2+2'], most: 'at most 150 ms in all' },
  { name: 'an offline answer that is kept', args: [CLI, '2+2'], most: 'at most 150 ms in all' },
] as const;

function cpuOf(args: readonly string[]): number {
  const { status, output, stderr } = spawnSync(process.execPath, ['--import', METER, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], HOME: tmpdir(), PROMPT_AGENT_SERVERS: '' },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(stderr);
  return Number(output[3]);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

for (const { name, args, most } of cases) {
  const pairs = Array.from({ length: RUNS }, () => [cpuOf(['-e', '0']), cpuOf(args)] as const);
  const whole = median(pairs.map(([, cost]) => cost));
  const over = median(pairs.map(([bare, cost]) => cost - bare));
  console.log(
    `${name}: ${whole.toFixed(0)} ms of CPU, ${over.toFixed(0)} ms over bare Node (${most}), median of ${RUNS} pairs`,
  );
}
