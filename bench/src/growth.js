// Prints the CPU time of inputs that could take quadratic time, at growing sizes: about 2 for each doubling is linear, 4
// quadratic.
import { jsonPieces } from '../../packages/agent/src/output/json-pieces.ts';
import { createRedactor } from '../../packages/internal/src/index.ts';
import { offlineProvider } from '../../packages/offline/src/index.ts';
import { findJsonLoss } from '../../packages/protocol/src/index.ts';
import { createSseParser } from '../../packages/providers/src/stream/sse.ts';
import { compileSchema } from '../../packages/schema/src/index.ts';
import { indexOfText } from '../../packages/toolbox/src/files/edit/find-sequence.ts';
import { bindTool, createRegistry } from '../../packages/tools/src/index.ts';
import { measure, median } from './measure.js';

const registry = createRegistry([
  bindTool(
    { name: 't', description: '', parameters: { properties: { a: { items: { type: 'number' } } } } },
    () => 'ok',
  ),
]);
const unique = compileSchema({ uniqueItems: true });
const redactor = createRedactor(['a-secret-of-a-bench']);

async function understand(prompt) {
  const messages = [{ role: 'user', content: prompt }];
  try {
    for await (const _ of offlineProvider().stream({ model: 'offline', messages, tools: [] }));
  } catch {
    // Refused.
  }
}

/** A name, how an input of a size is made, what reads it, and the largest size. */
const CASES = [
  ['JSON pieces', (size) => '{ {}'.repeat(size / 4), (text) => [...jsonPieces(text)], 262_144],
  [
    'lost digits',
    (size) => `[${'1e-1,'.repeat(size / 5)}1e-400]`,
    (text) => findJsonLoss(text, undefined, true),
    262_144,
  ],
  ['redaction', (size) => 'a-secret-of-'.repeat(size / 12), (text) => redactor.text(text), 262_144],
  ['a search', (size) => 'a'.repeat(size), (text) => indexOfText(text, `${'a'.repeat(1000)}b`, 0), 1_048_576],
  ['unique items', (size) => Array.from({ length: size }, (_, a) => ({ a })), (list) => unique.test(list), 65_536],
  ['arguments', (size) => ({ a: Array(size).fill('1') }), (value) => registry.execute('t', value), 4096],
  ['a long line', (size) => size, readLine, 65_536],
  ['a prompt', (size) => 'read the notes '.repeat(size / 15), understand, 1920],
];

function readLine(pieces) {
  const parser = createSseParser(() => {});
  for (let at = 0; at < pieces; at += 1) parser.push(Buffer.from('x'.repeat(64)));
}

for (const [name, make, work, largest] of CASES) {
  const times = [];
  for (let size = largest / 16; size <= largest; size *= 2) {
    const input = make(size);
    await work(input);
    const runs = [];
    for (let run = 0; run < 5; run += 1) runs.push((await measure(() => work(input))).cpuMs);
    times.push(median(runs));
  }
  const factors = times.slice(1).map((time, at) => (time / times[at]).toFixed(1));
  console.log(
    `${name.padEnd(14)} ${times.map((time) => time.toFixed(2).padStart(8)).join('')} ms   × ${factors.join(' ')}`,
  );
}
