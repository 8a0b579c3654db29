// Runs every workload: the server and each contender in a process of their own, runs interleaved, medians at the end.
// Arguments pick workloads by words of their name, such as W4; `--quick` makes a quarter of the runs; `--gate` fails on a missed target;
// `--before FOLDER` adds the built packages of another checkout as a contender, interleaved with the others.
import { fork } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { median, quartiles } from './measure.js';
import { WORKLOADS } from './workloads.js';

const args = process.argv.slice(2);
const beforeAt = args.indexOf('--before');
const before = beforeAt < 0 ? undefined : args[beforeAt + 1];
const picked = args.filter((arg, at) => !arg.startsWith('--') && (beforeAt < 0 || at !== beforeAt + 1));
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const once = (child) =>
  new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`A process ended with ${code}.`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });

const server = fork(file('server.js'));
const port = await once(server);
let wrong = 0;
let missed = 0;

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0].model.trim()}, ${new Date().toISOString().slice(0, 10)}`,
);
for (const workload of WORKLOADS) {
  if (picked.length > 0 && !picked.some((part) => `${workload.name} `.includes(`${part} `))) continue;
  report(workload, await measureAll(workload));
}
server.disconnect();
process.exitCode = wrong > 0 || (args.includes('--gate') && missed > 0) ? 1 : 0;

async function measureAll({ name, contenders, metric, runs, warmup: warmupRuns }) {
  const count = args.includes('--quick') ? Math.max(3, Math.ceil(runs / 4)) : runs;
  const children = [];
  for (const contender of [...Object.keys(contenders), ...(before === undefined ? [] : ['before'])]) {
    const isBefore = contender === 'before';
    const start = () =>
      fork(file('contender.js'), [name, isBefore ? 'ours' : contender, String(port)], {
        execArgv: ['--expose-gc'],
        env: { ...process.env, ...(isBefore ? { KERNEL_CHECKOUT: before } : {}) },
      });
    const child = start();
    await once(child);
    children.push({ contender, child, results: [] });
  }
  const warmup = metric === 'memory' ? 1 : Math.max(3, warmupRuns ?? count >> 1);
  for (let at = -warmup; at < count; at += 1) {
    for (const one of children) {
      const answer = once(one.child);
      one.child.send('run');
      const result = await answer;
      if (result.fault !== undefined) throw new Error(`${name}, ${one.contender}: ${result.fault}`);
      // Memory is of the first run as well: a process grows once.
      if (at >= 0 || metric === 'memory') one.results.push(result);
    }
  }
  for (const { child } of children) child.disconnect();
  return children;
}

function report(workload, children) {
  const { absolute = {}, limit, name, per } = workload;
  const metric = workload.metric === 'memory' ? 'grownMiB' : workload.metric;
  const floor = children.find(({ contender }) => contender === 'floor');
  const made = new Set(children.flatMap(({ results }) => results.map((result) => result.made)));
  console.log(`\n${name}`);
  if (made.size !== 1) {
    wrong += 1;
    console.log(`  WRONG: the contenders made different things: ${[...made].join(' | ')}`);
  }
  for (const { contender, results } of children) {
    const values = results.map((result) => result[metric]);
    const [low, high] = quartiles(values);
    const value = metric === 'grownMiB' ? Math.max(...values) : median(values);
    const unit = metric === 'grownMiB' ? 'MiB' : 'ms';
    const ratio = floor === undefined ? '' : ` ${(value / median(floor.results.map((r) => r[metric]))).toFixed(2)} ×`;
    const each = per === undefined ? '' : ` ${((value * 1000) / per.count).toFixed(2)} µs a ${per.unit}`;
    const rest = ['cpuMs', 'wallMs', 'blockedMs', 'slopeUs', 'listRatio'].filter(
      (key) => key !== metric && results[0][key] !== undefined,
    );
    const more = rest.map((key) => `${key} ${median(results.map((result) => result[key])).toFixed(2)}`).join(', ');
    console.log(
      `  ${contender.padEnd(7)} ${metric} ${value.toFixed(2)} ${unit} [${low.toFixed(2)}-${high.toFixed(2)}]${metric === 'grownMiB' ? '' : ratio}${each}; ${more}`,
    );
  }
  const ours = children.find(({ contender }) => contender === 'ours').results;
  const old = children.find(({ contender }) => contender === 'before')?.results;
  const middle = (results, key) => median(results.map((result) => result[key]));
  if (old !== undefined) console.log(`  ours to before: ${(middle(ours, metric) / middle(old, metric)).toFixed(2)} ×`);
  if (limit !== undefined) printTarget(middle(ours, metric) / middle(floor.results, metric), limit, '× the floor');
  for (const [key, most] of Object.entries(absolute)) {
    printTarget(key === 'grownMiB' ? Math.max(...ours.map((result) => result[key])) : middle(ours, key), most, key);
  }
}

function printTarget(value, most, what) {
  if (value > most) missed += 1;
  console.log(`  ${value > most ? 'MISSED' : 'ok    '} ${value.toFixed(2)} ${what}, target ${most}`);
}
