// Makes many of one kind in this process and prints how many bytes each keeps alive, or what they are.
import { holdersOf } from './holders.js';
import { KINDS } from './kinds.js';

const { kind, contender, port, mode } = JSON.parse(process.argv[2]);
/** What the first ones load, compile and grow is not of one. */
const WARM = 200;
const COUNT = mode === 'who' ? 500 : 1000;

async function collectGarbage() {
  for (let at = 0; at < 6; at += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    globalThis.gc();
  }
}

function bytesInUse() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const make = await KINDS[kind][contender]({ port, count: WARM + COUNT });
const held = [];
const hold = async (count) => {
  for (let at = 0; at < count; at += 50) held.push(...(await Promise.all(Array.from({ length: 50 }, () => make()))));
  await collectGarbage();
};

await hold(WARM);
if (mode === 'who') {
  // As one block of bytes, so that the second snapshot does not show the first.
  const first = Buffer.from(JSON.stringify([...(await holdersOf())]));
  await hold(COUNT);
  const after = await holdersOf();
  const before = new Map(JSON.parse(first.toString()));
  const rows = [...after].map(([what, { bytes, count }]) => {
    const known = before.get(what) ?? { bytes: 0, count: 0 };
    return { what, bytes: (bytes - known.bytes) / COUNT, count: (count - known.count) / COUNT };
  });
  const largest = rows.filter(({ bytes }) => bytes >= 8).toSorted((a, b) => b.bytes - a.bytes);
  print(largest.slice(0, 400));
} else {
  const before = bytesInUse();
  await hold(COUNT);
  print((bytesInUse() - before) / COUNT);
}

function print(value) {
  process.stdout.write(JSON.stringify(value), () => process.exit(held.length === 0 ? 1 : 0));
}
