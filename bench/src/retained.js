// How many bytes one of many keeps alive while it waits: each kind and contender in a process of its own, measured after collecting garbage.
// Arguments pick kinds by words of their name; `--who` also prints what holds the bytes, `--before FOLDER` measures another checkout beside.
import { execFileSync, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { KINDS } from './retained/kinds.js';

const args = process.argv.slice(2);
const beforeAt = args.indexOf('--before');
const before = beforeAt < 0 ? undefined : args[beforeAt + 1];
const words = args.filter((arg, at) => !arg.startsWith('--') && (beforeAt < 0 || at !== beforeAt + 1));
const names = Object.keys(KINDS).filter((name) => words.every((word) => name.includes(word)));
const file = (name) => fileURLToPath(new URL(name, import.meta.url));

const server = fork(file('server.js'));
const port = await new Promise((resolve) => server.once('message', resolve));

function bytesOf(kind, contender, mode = 'bytes') {
  const env = { ...process.env, ...(contender === 'before' && { KERNEL_CHECKOUT: before }) };
  const given = JSON.stringify({ kind, contender: contender === 'floor' ? 'floor' : 'ours', port, mode });
  const command = ['--expose-gc', '--no-opt', file('retained/fixture.js'), given];
  return JSON.parse(execFileSync(process.execPath, command, { encoding: 'utf8', env, maxBuffer: 1e9 }));
}

const shown = (bytes) => (bytes === undefined ? '' : bytes.toLocaleString('en', { maximumFractionDigits: 0 }));
const columns = ['floor', ...(before === undefined ? [] : ['before']), 'ours'];
process.stdout.write(`Node ${process.version}, retained bytes of one\n`);
process.stdout.write(`${'kind'.padEnd(48)}${columns.map((name) => name.padStart(10)).join('')}\n`);
for (const name of names) {
  const cells = columns.map((contender) =>
    name in KINDS && contender in KINDS[name] ? bytesOf(name, contender) : undefined,
  );
  process.stdout.write(`${name.padEnd(48)}${cells.map((bytes) => shown(bytes).padStart(10)).join('')}\n`);
  if (!args.includes('--who')) continue;
  for (const { bytes, count, what } of bytesOf(name, 'ours', 'who'))
    process.stdout.write(`  ${shown(bytes).padStart(8)} B ${count.toFixed(1).padStart(6)} × ${what}\n`);
}
server.disconnect();
