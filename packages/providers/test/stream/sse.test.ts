import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createSseParser, type SseEvent } from '../../src/stream/sse.ts';
import { eventsOf, randomStream, seeded } from './chunkings.ts';

function parse(bytes: Uint8Array, cuts: readonly number[] = []): readonly SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createSseParser((event) => events.push(event));
  const edges = [0, ...cuts, bytes.length];
  for (const [at, edge] of edges.slice(1).entries()) parser.push(bytes.subarray(edges[at], edge));
  parser.end();
  return events;
}

/** The wait of the standard's field `retry`, which the parser ignores: a reply cannot be resumed. */
const RECONNECTION_MS = 10;

const BYTES = Buffer.from(
  '\uFEFFdata: one\n\n' +
    ': a comment\r\ndata:two\r\ndata\r\ndata: 2\r\n\r\n' +
    `event: error\rid: 7\rretry: ${RECONNECTION_MS}\rdata: dreißig 世界 🌍\r\r` +
    'data:  spaced\n\nid: a\u0000b\ndata:\n\nfoo: bar\n\ndata: last',
);

const EXPECTED = [
  { event: '', data: 'one', id: '' },
  { event: '', data: 'two\n\n2', id: '' },
  { event: 'error', data: 'dreißig 世界 🌍', id: '7' },
  { event: '', data: ' spaced', id: '7' },
  { event: '', data: '', id: '7' },
  { event: '', data: 'last', id: '7' },
];

test('LF, CRLF, lone CR, a byte-order mark, comments and several data lines give the events of the standard', () => {
  verifies('providers.stream.sse');
  expect(parse(BYTES)).toEqual(EXPECTED);
});

test('every split of the bytes in two, and one byte at a time, gives the same events', () => {
  verifies('providers.stream.sse');
  for (let at = 1; at < BYTES.length; at += 1) expect(parse(BYTES, [at]), `split at ${at}`).toEqual(EXPECTED);
  expect(
    parse(
      BYTES,
      Array.from({ length: BYTES.length - 1 }, (_, at) => at + 1),
    ),
  ).toEqual(EXPECTED);
});

test('bytes that are not valid UTF-8 give the same replacement characters for every split', () => {
  const bytes = Buffer.concat([
    Buffer.from('data: a'),
    Buffer.from([0xf0, 0x9f, 0x41, 0xe2, 0x28, 0xa1, 0xc3]),
    Buffer.from('\n\n'),
  ]);
  const whole = parse(bytes);
  for (let at = 1; at < bytes.length; at += 1) expect(parse(bytes, [at]), `split at ${at}`).toEqual(whole);
});

test('a line over the limit throws PROVIDER_PROTOCOL before it is kept', () => {
  verifies('providers.limits');
  const parser = createSseParser(() => undefined, { maxLineLength: 100 });
  parser.push(Buffer.from(`data: ${'x'.repeat(80)}`));
  expect(() => parser.push(Buffer.from('x'.repeat(40)))).toThrow(
    expect.objectContaining({ code: 'PROVIDER_PROTOCOL' }),
  );
});

test('20,000 seeded chunkings of random streams give the events of the whole', () => {
  verifies('providers.stream.sse');
  const random = seeded(42);
  let differing = 0;
  for (let stream = 0; stream < 1000; stream += 1) {
    const bytes = randomStream(random, 12);
    const whole = eventsOf(bytes);
    for (let chunking = 0; chunking < 20; chunking += 1) if (eventsOf(bytes, random) !== whole) differing += 1;
  }
  expect(differing).toBe(0);
});
