// Runs every workload: the server and each contender in a process of their own, runs interleaved, medians at the end.
// Arguments pick workloads by words of their name, such as W4; `--quick` makes a quarter of the runs; `--gate` fails on a missed target;
// `--peers` adds all other libraries; `--before FOLDER` adds the built packages of another checkout, interleaved with the others.
import { fork } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { report } from './report.js';
import { WORKLOADS } from './workloads.js';

const args = process.argv.slice(2);
const beforeAt = args.indexOf('--before');
const before = beforeAt < 0 ? undefined : args[beforeAt + 1];
const wordsOf = (text) => text.toLowerCase().match(/[\w-]+/g) ?? [];
const picked = args
  .filter((arg, at) => !arg.startsWith('--') && (beforeAt < 0 || at !== beforeAt + 1))
  .flatMap(wordsOf);
const unknown = picked.filter((word) => !WORKLOADS.some(({ name }) => wordsOf(name).includes(word)));
if (unknown.length > 0) {
  console.error(`No workload has the word ${unknown.join(', ')}:\n${WORKLOADS.map(({ name }) => name).join('\n')}`);
  process.exit(1);
}
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
/** Libraries whose loop takes tens of milliseconds run a tenth of the loops. */
const SHARE_OF_PEERS = 0.1;
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
  if (picked.length > 0 && !picked.some((word) => wordsOf(workload.name).includes(word))) continue;
  const outcome = report(workload, await measureAll(workload));
  wrong += outcome.wrong;
  missed += outcome.missed;
}
server.disconnect();
process.exitCode = wrong > 0 || (args.includes('--gate') && missed > 0) ? 1 : 0;

async function measureAll({ name, contenders, peers = [], metric, runs, isFresh = false, warmup: warmupRuns }) {
  const count = args.includes('--quick') ? Math.max(3, Math.ceil(runs / 4)) : runs;
  const names = [
    ...contenders,
    ...(before === undefined ? [] : ['before']),
    ...(args.includes('--peers') ? peers : []),
  ];
  const start = async (contender) => {
    const isBefore = contender === 'before';
    const child = fork(file('contender.js'), [name, isBefore ? 'ours' : contender, String(port)], {
      execArgv: ['--expose-gc'],
      env: { ...process.env, ...(isBefore ? { KERNEL_CHECKOUT: before } : {}) },
    });
    await once(child);
    return child;
  };
  const all = [];
  for (const contender of names) {
    all.push({ contender, child: isFresh ? undefined : await start(contender), results: [] });
  }
  const warmup = isFresh ? 0 : metric === 'memory' ? 1 : Math.max(3, warmupRuns ?? count >> 1);
  for (let at = -warmup; at < count; at += 1) {
    for (const one of all.filter(({ fault }) => fault === undefined)) {
      const child = one.child ?? (await start(one.contender));
      const answer = once(child);
      child.send(!isFresh && peers.includes(one.contender) ? SHARE_OF_PEERS : 1);
      const result = await answer;
      if (result.fault !== undefined) {
        if (!peers.includes(one.contender)) throw new Error(`${name}, ${one.contender}: ${result.fault}`);
        // What another library cannot do is said in its line.
        one.fault = result.fault.split('\n')[0];
        one.results = [];
      }
      if (one.fault !== undefined) continue;
      // Memory is of the first run as well: a process grows once.
      if (at >= 0 || metric === 'memory') one.results.push(result);
      if (isFresh) child.disconnect();
    }
  }
  for (const { child } of all) if (child?.connected) child.disconnect();
  return all;
}
