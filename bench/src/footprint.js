// What each library costs before it does anything: its import, the first loop of a process, its size installed and bundled, and its types.
// Arguments pick contenders by name.
import { fork, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundledBytes } from './footprint/bundled.js';
import { installed } from './footprint/installed.js';
import { typeCost } from './footprint/type-cost.js';
import { median } from './measure.js';

const RUNS = 9;
const NAMES = ['floor', 'ours', 'openai', 'ai-sdk', 'openai-agents', 'pi', 'langchain', 'mastra', 'tanstack'];
const picked = process.argv.slice(2);
const names = NAMES.filter((name) => picked.length === 0 || picked.includes(name));
const file = (name) => fileURLToPath(new URL(name, import.meta.url));

const server = fork(file('server.js'));
const port = await new Promise((resolve) => server.once('message', resolve));

/** CPU and wall milliseconds of whole processes: of bare Node, and of each contender that imports, or runs one loop as well. */
function processCost(name, mode) {
  const start = performance.now();
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    [file('footprint/process.js'), name, mode, String(port)],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(stderr);
  return { cpuMs: Number(stdout), wallMs: performance.now() - start };
}

const costs = new Map(names.map((name) => [name, { bare: [], import: [], first: [] }]));
for (let at = 0; at < RUNS; at += 1)
  for (const name of names)
    for (const mode of ['bare', 'import', 'first']) costs.get(name)[mode].push(processCost(name, mode));
server.disconnect();

console.log(`Node ${process.version}; medians of ${RUNS} processes; import and first run are CPU above bare Node`);
console.log('| library | import | first run | installed | packages | bundled, gzip | types of ten tools |');
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const name of names) {
  const { bare, import: imports, first } = costs.get(name);
  const over = (runs) => median(runs.map(({ cpuMs }, at) => cpuMs - bare[at].cpuMs)).toFixed(0);
  const { bytes, packages } = installed(name);
  const types = typeCost(name);
  const shown = [
    `${over(imports)} ms`,
    `${over(first)} ms`,
    `${(bytes / 1e6).toFixed(1)} MB`,
    packages,
    `${((await bundledBytes(name)) / 1000).toFixed(0)} kB`,
    types === undefined
      ? '–'
      : `${types.instantiations.toLocaleString('en-US')} instantiations, ${types.seconds} s, ${types.memory}`,
  ];
  console.log(`| ${name} | ${shown.join(' | ')} |`);
}
