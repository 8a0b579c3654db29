import { createSseParser, type SseEvent } from '../../src/stream/sse.ts';

/** A generator of numbers in [0, 1) that is the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const PIECES = [
  'data: one',
  'data:two',
  'data',
  'data: {"a":"世界 🌍"}',
  ': comment',
  'event: error',
  'id: 7',
  'id',
  'retry: 10',
  'foo: bar',
  'data:  x',
  '',
  '',
  '\uFEFF',
  'data: ü',
  'Data: no',
  'data : no',
];
const ENDS = ['\n', '\r\n', '\r'];

/** A stream of about `lines` lines in all spellings of the format, some bytes of which are no UTF-8. */
export function randomStream(random: () => number, lines: number): Buffer {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const parts: Buffer[] = [];
  for (let at = 0; at < lines; at += 1) {
    parts.push(Buffer.from(pick(PIECES)));
    if (random() < 0.05) parts.push(Buffer.from([0xf0, 0x9f, 0x80 + Math.floor(random() * 0x7f)]));
    parts.push(Buffer.from(pick(ENDS)));
  }
  return Buffer.concat(parts);
}

/** The events of these bytes as one text, pushed in random pieces; without `random` as a whole. */
export function eventsOf(bytes: Uint8Array, random?: () => number): string {
  let seen = '';
  const parser = createSseParser((event: SseEvent) => {
    seen += `${event.event}\u0001${event.data}\u0001${event.id}\u0002`;
  });
  const longest = random === undefined ? bytes.length : 1 + Math.floor(random() * 24);
  for (let at = 0; at < bytes.length;) {
    const size = random === undefined ? longest : 1 + Math.floor(random() * longest);
    parser.push(bytes.subarray(at, at + size));
    at += size;
  }
  parser.end();
  return seen;
}
