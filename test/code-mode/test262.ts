/**
 * Runs the parts of test262 that a program may use, in the sandbox and in Node, and prints a table by folder: `TEST262=folder node test/code-mode/test262.ts
 * [--every N] [--failures] [language/statements …]`. Build first. Exits with 1 if a test fails in the sandbox only, for a reason that is not known.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lackOf, LACKS } from './language-lacks.ts';
import { failsInNode, failsInSandbox } from './run-language-test.ts';
import { readSuite } from './test262-suite.ts';

/** How many tests of a folder end in which way. */
interface Counts {
  both: number;
  nodeOnly: number;
  sandboxOnly: number;
  neither: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string', default: '1' }, failures: { type: 'boolean', default: false } },
});
const folder = process.env['TEST262'] ?? '';
if (!existsSync(join(folder, 'harness'))) {
  console.error('Set TEST262 to a folder with test262: https://github.com/tc39/test262');
  process.exit(2);
}
// Tests reject promises that nobody waits for.
process.on('unhandledRejection', () => undefined);

const table = new Map<string, Counts>();
const lacking = new Map<string, number>();
const unknown: string[] = [];
for (const test of readSuite(folder, positionals, Number(values.every))) {
  // oxlint-disable-next-line no-await-in-loop -- one test at a time
  const [inSandbox, inNode] = [await failsInSandbox(test), failsInNode(test)];
  const row = test.file.split('/').slice(0, 2).join('/');
  const counts = table.get(row) ?? { both: 0, nodeOnly: 0, sandboxOnly: 0, neither: 0 };
  table.set(row, counts);
  if (inSandbox === undefined) counts[inNode === undefined ? 'both' : 'sandboxOnly'] += 1;
  else if (inNode !== undefined) counts.neither += 1;
  else {
    counts.nodeOnly += 1;
    const lack = lackOf(test);
    if (lack === undefined) unknown.push(`${test.file}  [${test.features.join(', ')}]  ${inSandbox.split('\n')[0]}`);
    else lacking.set(lack, (lacking.get(lack) ?? 0) + 1);
    if (values.failures) console.log(`${test.file}  ${lack ?? ''}  ${inSandbox.slice(0, 200)}`);
  }
}

printTable();
if (unknown.length > 0) console.log(`\nFail in the sandbox only, for no known reason:\n${unknown.join('\n')}`);
process.exitCode = unknown.length === 0 ? 0 : 1;

function printTable(): void {
  console.log(`Node ${process.version}; tests that pass in\n`);
  console.log('| folder | both | Node only | the sandbox only | neither |\n|---|---|---|---|---|');
  const all: Counts = { both: 0, nodeOnly: 0, sandboxOnly: 0, neither: 0 };
  const print = (name: string, { both, nodeOnly, sandboxOnly, neither }: Counts): void =>
    console.log(`| ${name} | ${both} | ${nodeOnly} | ${sandboxOnly} | ${neither} |`);
  for (const [name, counts] of table) {
    print(name, counts);
    for (const key of ['both', 'nodeOnly', 'sandboxOnly', 'neither'] as const) all[key] += counts[key];
  }
  print('all', all);
  console.log('\n| what the sandbox lacks | tests |\n|---|---|');
  for (const { what } of LACKS) if (lacking.has(what)) console.log(`| ${what} | ${lacking.get(what)} |`);
}
