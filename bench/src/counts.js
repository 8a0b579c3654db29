// What a turn, a delta and a call cost in counts, which do not vary with the machine: CI compares them with `counts.json`.
// Each figure is the difference of two runs of unlike length in fresh processes, so that what happens once per run or process does not count.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The workloads by the unit that is counted: `fixture` makes one run of `units`, cold ones begin in a fresh process. */
const WORKLOADS = {
  'a turn, JSON': { unit: 'turn', kind: 'loop', streamed: false, sizes: [10, 20] },
  'a turn, streamed': { unit: 'turn', kind: 'loop', streamed: true, sizes: [10, 20] },
  'a delta of text': { unit: 'delta', kind: 'deltas', sizes: [1000, 2000] },
  'a call of 32 at once': { unit: 'call', kind: 'parallel', sizes: [32, 64] },
  'a call of the registry': { unit: 'call', kind: 'calls', sizes: [100, 200] },
};
/** How much more of something than is committed fails. */
const TOLERANCE = 1.05;
const FIXTURE = fileURLToPath(new URL('counts/fixture.js', import.meta.url));
const COMMITTED = new URL('../counts.json', import.meta.url);

/** Runs the fixture in a process of its own and returns what it printed. */
function run(counter, options) {
  // Without compilers that optimize and without threads that collect garbage, whatever runs allocates the same each time.
  const flags = ['--no-opt', '--no-maglev', '--no-sparkplug', '--single-threaded-gc'];
  flags.push('--min-semi-space-size=64', '--max-semi-space-size=64');
  const text = execFileSync(process.execPath, [...flags, FIXTURE, JSON.stringify({ counter, ...options })], {
    encoding: 'utf8',
  });
  return JSON.parse(text);
}

let countsInstructions = true;

/** Instructions of the processor, or undefined where none are counted, as on most virtual machines: that is tried once. */
function instructionsOf(options) {
  if (!countsInstructions) return undefined;
  const counted = ['stat', '-x,', '-e', 'instructions:u', process.execPath, FIXTURE, JSON.stringify(options)];
  const { stderr } = spawnSync('/usr/bin/perf', counted, { encoding: 'utf8' });
  const count = Number.parseInt(stderr ?? '', 10);
  countsInstructions = !Number.isNaN(count);
  return countsInstructions ? count : undefined;
}

const perUnit = ([small, large], [from, to]) => (large - small) / (to - from);

/** The counts of one unit of a workload after `warmup` runs. */
function countsOf(workload, warmup) {
  const runs = (counter) => workload.sizes.map((size) => run(counter, { ...workload, size, warmup }));
  const code = runs('code');
  const counts = {
    tokens: perUnit(
      code.map(({ tokens }) => tokens),
      workload.sizes,
    ),
    functions: perUnit(
      code.map(({ functions }) => functions),
      workload.sizes,
    ),
    promises: perUnit(runs('promises'), workload.sizes),
    bytes: perUnit(runs('bytes'), workload.sizes),
  };
  const instructions = workload.sizes.map((size) => instructionsOf({ ...workload, size, warmup }));
  if (instructions.every((count) => count !== undefined)) counts.instructions = perUnit(instructions, workload.sizes);
  return counts;
}

/** What the first run of a process costs as a whole: what is executed, and how much code is entered, which is compiled then. */
function firstRun(workload) {
  const options = { ...workload, size: 1, warmup: 0 };
  const { tokens, functions, entered } = run('code', options);
  return { tokens, functions, entered, promises: run('promises', options) };
}

const rounded = (counts) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count.toPrecision(4))]));

const [topOf] = process.argv.flatMap((argument, at) => (argument === '--top' ? [process.argv[at + 1]] : []));
if (topOf !== undefined) {
  const workload = WORKLOADS[topOf];
  for (const { tokens, calls, name, at } of run('top', { ...workload, size: workload.sizes[1], warmup: 3 }))
    process.stdout.write(`${tokens} tokens in ${calls} calls of ${name || 'a function'} (${at})\n`);
  process.exit(0);
}

const measured = {};
for (const [name, workload] of Object.entries(WORKLOADS)) {
  measured[name] = rounded(countsOf(workload, 3));
  measured[`first run: ${name}`] = rounded(firstRun(workload));
}

const committed = JSON.parse(readFileSync(COMMITTED, 'utf8'));
const worse = [];
for (const [name, counts] of Object.entries(measured)) {
  const cells = Object.entries(counts).map(([what, count]) => {
    const before = committed[name]?.[what];
    const isWorse = before !== undefined && count > before * TOLERANCE;
    if (isWorse) worse.push(`${name}: ${count} ${what}, ${before} in counts.json`);
    return `${what} ${count}${before === undefined || before === count ? '' : ` (${before})`}`;
  });
  process.stdout.write(`${name}\n  ${cells.join(', ')}\n`);
}
if (process.argv.includes('--save')) {
  const text = JSON.stringify(measured, (key, value) => (key === 'instructions' ? undefined : value), 2);
  writeFileSync(COMMITTED, `${text}\n`);
} else if (process.argv.includes('--check') && worse.length > 0) {
  process.stderr.write(
    `More than 5 % above the budget:\n${worse.join('\n')}\nIf it is worth it: npm --prefix bench run counts -- --save\n`,
  );
  process.exit(1);
}
