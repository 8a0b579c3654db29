import { verifies, type WireName } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { errorOf, request } from '../support.ts';
import { recordBytes, WIRES, withWire } from '../wires.ts';

describe.each(WIRES)('the wire %s', (wire) => {
  test('a lost connection, a stall and endless keep-alives end in one typed error with the text so far', async () => {
    verifies('providers.stream.cut', 'providers.timeouts');
    const bytes = await recordBytes(wire, [{ text: 'half of it', pieces: 1 }]);
    const cut = firstText(wire, bytes);
    const comment = wire === 'bedrock' ? new Uint8Array(0) : wire === 'ollama' ? '\n' : ': still here\n\n';
    const alive = Array.from({ length: 60 }, () => [comment, { waitMs: 20 }]).flat();
    const replies = [
      { chunks: [bytes], fault: { resetAfter: cut } },
      { chunks: [bytes], fault: { stallAfter: cut } },
      { chunks: [bytes.subarray(0, cut), ...alive] },
    ];
    await withWire(
      wire,
      { replies },
      async ({ provider }) => {
        for (const code of ['PROVIDER_NETWORK', 'PROVIDER_TIMEOUT', 'PROVIDER_TIMEOUT']) {
          const error = await errorOf(provider.stream(request()));
          expect(error).toMatchObject({ code, data: { partialText: 'half of it' } });
        }
      },
      { timeouts: { idleMs: 600 } },
    );
  });
});

/** Where the first piece of text ends in a recording. */
function firstText(wire: WireName, bytes: Buffer): number {
  return eventAround(wire, bytes, bytes.indexOf('half of it')).end;
}

/** The bounds of the event, line or frame that a place of a recording is in. */
function eventAround(wire: WireName, bytes: Buffer, at: number): { start: number; end: number } {
  if (wire === 'bedrock') {
    let start = 0;
    while (start + bytes.readUInt32BE(start) <= at) start += bytes.readUInt32BE(start);
    return { start, end: start + bytes.readUInt32BE(start) };
  }
  const mark = wire === 'ollama' ? '\n' : wire === 'gemini' ? '\r\n\r\n' : '\n\n';
  const before = bytes.lastIndexOf(mark, at);
  return { start: before === -1 ? 0 : before + mark.length, end: bytes.indexOf(mark, at) + mark.length };
}
