/* oxlint-disable no-await-in-loop -- one after another is what is tested */
import { textOf, toolCallsOf } from '@kernel/protocol';
import { toEventStreamFrame, verifies, type WireName } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { all, endOf, errorOf, pause, request, sse, untilQuiet } from '../support.ts';
import { recordBytes, WIRES, withWire } from '../wires.ts';

const REPLY = { text: 'half of it', calls: [{ id: 'a', name: 'f', arguments: { x: 1 } }], pieces: 2 };
const PAGE = '<!doctype html><title>Sign in</title>';

function errorIn(wire: WireName): string | Uint8Array {
  if (wire === 'bedrock') return toEventStreamFrame('internalServerException', { message: 'broke' }, 'exception');
  return wire === 'ollama' ? '{"error":"broke"}\n' : sse({ error: { message: 'broke' } });
}

describe.each(WIRES)('the wire %s', (wire) => {
  test('an error object in the middle throws with the vendor message and the text so far', async () => {
    verifies('providers.stream.cut');
    const bytes = await recordBytes(wire, [{ text: 'half of it', pieces: 1 }]);
    // Up to the end of the first piece of text.
    const cut = firstText(wire, bytes);
    await withWire(wire, { replies: [{ chunks: [bytes.subarray(0, cut), errorIn(wire)] }] }, async ({ provider }) => {
      const error = await errorOf(provider.stream(request()));
      expect(['PROVIDER_PROTOCOL', 'PROVIDER_HTTP']).toContain(error.code);
      expect(error.message).toContain('broke');
      expect(error.data).toMatchObject({ partialText: 'half of it' });
    });
  });

  test.each([true, false])(
    'pages, emptiness, errors and wrong shapes under 200 are typed errors (stream: %s)',
    async (stream) => {
      verifies('providers.stream.cut', 'providers.error.http');
      const bodies = [
        '',
        PAGE,
        '{"error":{"message":"broke"}}',
        '{"error":"broke"}',
        '{}',
        '[]',
        '42',
        'null',
        '{"half":',
        '"text"',
      ];
      await withWire(wire, { replies: bodies.map((body) => ({ chunks: [body] })) }, async ({ provider }) => {
        for (const body of bodies) {
          const error = await errorOf(provider.stream(request({ stream })));
          expect(['PROVIDER_PROTOCOL', 'PROVIDER_HTTP'], `${body}: ${error.message}`).toContain(error.code);
          expect(error.message).toContain(body.includes('broke') ? 'broke' : body === PAGE ? 'Sign in' : '');
        }
      });
    },
  );

  test('refusals by status are PROVIDER_HTTP with what the vendor says', async () => {
    verifies('providers.error.http');
    await withWire(wire, { replies: [{ status: 503, chunks: [PAGE] }] }, async ({ provider }) => {
      const page = await errorOf(provider.stream(request()));
      expect(page).toMatchObject({ code: 'PROVIDER_HTTP', retryable: true, data: { status: 503 } });
      const said = await errorOf(provider.stream(request()));
      expect(said).toMatchObject({ code: 'PROVIDER_HTTP', data: { status: 500 } });
      expect(said.message).toContain('The script has no reply for request 2.');
    });
  });

  test('a reader that stops reading stops the server', async () => {
    const bytes = await recordBytes(wire, [{ text: `half of it ${'x'.repeat(2000)}`, pieces: 1 }]);
    const { end, start } = eventAround(wire, bytes, bytes.indexOf('half of it'));
    const total = 10_000;
    let sent = 0;
    function* endless(): Generator<Uint8Array> {
      yield bytes.subarray(0, start);
      for (; sent < total; sent += 1) yield bytes.subarray(start, end);
    }
    // The server asks for one chunk after another, so a generator counts what went out.
    const chunks = endless() as unknown as readonly Uint8Array[];
    await withWire(wire, { replies: [{ chunks }] }, async ({ provider }) => {
      const iterator = provider.stream(request())[Symbol.asyncIterator]();
      await iterator.next();
      await untilQuiet(() => sent);
      const stopped = sent;
      expect(stopped).toBeLessThan(total / 2);
      await pause(100);
      expect(sent).toBe(stopped);
      await iterator.return?.();
    });
  });

  test('a reply stopped by length yields no runnable call, streamed or whole', async () => {
    verifies('providers.stream.cut');
    const replies = [true, false].map(() => ({ ...REPLY, finishReason: 'length' as const }));
    await withWire(wire, { replies }, async ({ provider }) => {
      for (const stream of [true, false]) {
        const end = await endOf(provider.stream(request({ stream })));
        expect(toolCallsOf(end.message)).toEqual([]);
        expect(end).toMatchObject({ finishReason: 'length', droppedCalls: [{ id: 'a', name: 'f' }] });
        expect(textOf(end.message)).toBe('half of it');
      }
    });
  });

  test('a call without a name is PROVIDER_PROTOCOL; names from a map of objects are names like others', async () => {
    const replies = [
      { calls: [{ id: 'a', name: '', arguments: { x: 1 } }] },
      { calls: [{ id: '__proto__', name: 'constructor' }] },
    ];
    await withWire(wire, { replies }, async ({ provider }) => {
      expect(await errorOf(provider.stream(request()))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
      const { message } = await endOf(provider.stream(request()));
      expect(toolCallsOf(message)).toMatchObject([{ id: '__proto__', name: 'constructor' }]);
    });
  });

  test('the ids of a reply are unique and not empty, and the same whatever the history holds', async () => {
    verifies('providers.stream.assemble');
    const call = { name: 'f', arguments: { x: 1 } };
    const calls = [
      { ...call, id: 'a' },
      { ...call, id: 'b' },
    ];
    await withWire(wire, { replies: [{ calls }, { calls }] }, async ({ provider }) => {
      const { message } = await endOf(provider.stream(request()));
      const ids = toolCallsOf(message).map(({ id }) => id);
      expect(new Set(ids).size).toBe(2);
      expect(ids).not.toContain('');
      const results = ids.map((id) => ({ role: 'tool', toolCallId: id, name: 'f', content: 'x' }) as const);
      const again = await endOf(provider.stream(request({ messages: [...request().messages, message, ...results] })));
      expect(toolCallsOf(again.message).map(({ id }) => id)).toEqual(ids);
    });
  });

  test('the same request gives the same events streamed twice', async () => {
    await withWire(wire, { replies: [REPLY, REPLY] }, async ({ provider }) => {
      expect(await all(provider.stream(request()))).toEqual(await all(provider.stream(request())));
    });
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
