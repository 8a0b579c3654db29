/**
 * Measures what a start of `prompt-agent` costs: CPU time and memory of whole processes, interleaved with bare Node, medians, and the files that it loads,
 * which a test of the program limits. Build first.
 * `node scripts/start-cost.ts`
 */
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RUNS = 15;
const CLI = join(import.meta.dirname, '../apps/prompt-agent/dist/cli.js');
const COUNTER = join(import.meta.dirname, '../apps/prompt-agent/test/fixtures/counts-loads.ts');
/** Writes the CPU time of the process to its file descriptor 3, in milliseconds, and the most memory that it had, in MB. */
const METER = `data:text/javascript,${encodeURIComponent(
  "import { writeSync } from 'node:fs'; process.on('exit', () => { const { user, system } = process.cpuUsage(); const { maxRSS } = process.resourceUsage(); writeSync(3, JSON.stringify([(user + system) / 1000, maxRSS / 1024])); });",
)}`;
const cases = [
  { name: '--help', args: [CLI, '--help'], most: 'at most 40 ms over bare Node' },
  // The first start of all fills the compile cache.
  { name: 'an offline answer', args: [CLI, '--no-session', '2+2'], most: 'at most 150 ms in all' },
  { name: 'an offline answer that is kept', args: [CLI, '2+2'], most: 'at most 150 ms in all' },
] as const;

interface Cost {
  readonly cpuMs: number;
  readonly memoryMb: number;
}

function costOf(args: readonly string[]): Cost {
  const [cpuMs = Number.NaN, memoryMb = Number.NaN] = JSON.parse(run(METER, args).measured) as readonly number[];
  return { cpuMs, memoryMb };
}

/** The files that a start loads, as the fixture counts them. */
function loadsOf(args: readonly string[]): string {
  return /^loaded: (.*)$/m.exec(run(COUNTER, args).stderr)?.[1] ?? '';
}

function run(imported: string, args: readonly string[]): { readonly measured: string; readonly stderr: string } {
  const { status, output, stderr } = spawnSync(process.execPath, ['--import', imported, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], HOME: tmpdir(), PROMPT_AGENT_SERVERS: '' },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(stderr);
  return { measured: output[3] ?? '', stderr };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

for (const { name, args, most } of cases) {
  const pairs = Array.from({ length: RUNS }, () => [costOf(['-e', '0']), costOf(args)] as const);
  const whole = median(pairs.map(([, { cpuMs }]) => cpuMs));
  const over = median(pairs.map(([bare, { cpuMs }]) => cpuMs - bare.cpuMs));
  const memory = median(pairs.map(([, { memoryMb }]) => memoryMb));
  console.log(
    `${name}: ${whole.toFixed(0)} ms of CPU, ${over.toFixed(0)} ms over bare Node (${most}), ${memory.toFixed(0)} MB, median of ${RUNS} pairs`,
  );
  console.log(`  loads ${loadsOf(args)}`);
}
