/* oxlint-disable no-await-in-loop -- one cut after another, on one connection */
import { isDeepStrictEqual } from 'node:util';
import { collect, run } from '@kernel/agent';
import type { Message } from '@kernel/protocol';
import { type RawReply, verifies, type WireFault, type WireName, type WireReply } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { setUpWire, TRANSPORTS, WIRES } from './wires.ts';

const messages: readonly Message[] = [{ role: 'user', content: 'Weather?' }];
const asks: WireReply = {
  text: 'Hm.',
  calls: [
    { id: 'call_a', name: 'weather', arguments: { city: 'Lisbon' } },
    { id: 'call_b', name: 'weather', arguments: { city: 'Oslo' } },
  ],
  pieces: 1,
};

/** What may be missing at the end of a stream that says all: what comes after its finish, as a text or as bytes. */
const AFTER_THE_FINISH: Readonly<Record<WireName, (bytes: Buffer) => number>> = {
  openai: () => '\n\ndata: [DONE]\n\n'.length,
  azure: () => '\n\ndata: [DONE]\n\n'.length,
  'openai-responses': () => '\n\n'.length,
  anthropic: () => '\n\n'.length,
  gemini: () => '\r\n\r\n'.length,
  ollama: () => '\n'.length,
  // The frame with the usage: its headers begin after 12 bytes.
  bedrock: (bytes) => bytes.length - (bytes.lastIndexOf('\u000B:event-type') - 12),
};

/** Whether an offset is between two letters or digits. No wire ends anything there, so that such a cut leaves what one at the beginning of the word leaves. */
function isWithinWord(bytes: Buffer, at: number): boolean {
  return /^\w\w$/.test(bytes.toString('latin1', at - 1, at + 1));
}

/**
 * Whether a cut is tried: not within a word, but for the first bytes and those around the finish. A body in one piece
 * is parsed when it is whole, and what comes after the transport is the same for all, so that there, between those, one
 * of sixteen is enough.
 */
function cutsAt(isEach: boolean, bytes: Buffer, at: number, wholeAt: number): boolean {
  if (at < 4 || at >= wholeAt - 8) return true;
  return isEach ? !isWithinWord(bytes, at) : at % 16 === 0;
}

/**
 * Whether a reset is tried at an offset. A reset costs a connection, and what of the bytes before it is still read is up to the system, so
 * that between the first bytes and those around the finish one of 32 is enough; a reply that ends too early is tried at
 * each.
 */
function resetsAt(at: number, wholeAt: number): boolean {
  return at % 32 === 0 || at < 4 || at >= wholeAt - 8;
}

/** Sets up a wire whose every reply is `reply`, recorded once and then sent as bytes with the fault that is set. */
async function setUpRecorded(wire: (typeof WIRES)[number], stream: boolean, reply: WireReply) {
  let next: WireReply | RawReply = reply;
  const { server, ran, options, providerWith } = await setUpWire(wire, () => next);
  const providers = new Map(TRANSPORTS.map(([name, config]) => [name, providerWith(config)]));
  const start = (provider = options.provider) =>
    collect(run({ ...options, provider, stream, messages, limits: { turns: 1 } }));
  const whole = await start();
  const [asked] = server.requests;
  const recorded = await fetch(`${server.url}${asked?.path}`, {
    method: 'POST',
    body: Buffer.from(asked?.bytes ?? []),
  });
  const bytes = Buffer.from(await recorded.arrayBuffer());
  const headers = { 'content-type': recorded.headers.get('content-type') ?? '' };
  return {
    bytes,
    whole: { result: whole, ran: [...ran] },
    async runWith(transport: (typeof TRANSPORTS)[number][0], fault: WireFault) {
      next = { chunks: [bytes], headers, fault };
      ran.length = 0;
      return { result: await start(providers.get(transport)), ran };
    },
  };
}

/** Azure's bytes are those of chat completions, read by the same decoder. */
const DECODED = WIRES.filter(([wire]) => wire !== 'azure');

describe.each(DECODED)('the wire %s', (...wire) => {
  test.each([true, false])(
    'a reply lost after any byte that can end something runs no tool and ends the run with an error (stream: %s)',
    async (stream) => {
      verifies('agent.loop.truncated', 'providers.stream.cut');
      const { bytes, whole, runWith } = await setUpRecorded(wire, stream, asks);
      expect(whole).toMatchObject({ result: { reason: 'limit', limit: 'turns' }, ran: ['Lisbon', 'Oslo'] });
      const wholeAt = bytes.length - (stream ? AFTER_THE_FINISH[wire[0]](bytes) : 0);
      const wrong: string[] = [];
      const faults = TRANSPORTS.flatMap(([transport]) =>
        Array.from({ length: bytes.length + 1 }, (_, at) => at)
          .filter((at) => cutsAt(stream && transport === 'undici', bytes, at, wholeAt))
          .flatMap((at) =>
            (resetsAt(at, wholeAt) ? (['cutAfter', 'resetAfter'] as const) : (['cutAfter'] as const)).map(
              (kind) => [transport, kind, at] as const,
            ),
          ),
      );
      for (const [transport, kind, at] of faults) {
        const { result, ran } = await runWith(transport, { [kind]: at });
        const isWhole = ran.length === 2 && isDeepStrictEqual(result.messages, whole.result.messages);
        const isLost =
          ran.length === 0 &&
          result.reason === 'error' &&
          ['PROVIDER_PROTOCOL', 'PROVIDER_NETWORK'].includes(result.error.code) &&
          isDeepStrictEqual(result.messages, messages);
        if (!(isLost || (isWhole && at >= wholeAt)))
          wrong.push(`${kind} ${at} over ${transport}: ${result.reason}, ran ${ran.join()}`);
      }
      expect(wrong).toEqual([]);
      for (const [transport] of TRANSPORTS)
        expect((await runWith(transport, { cutAfter: bytes.length })).ran).toEqual(whole.ran);
    },
  );

  test.each([true, false])(
    'a reply stopped by length at any byte of its arguments runs no tool, the calls before it neither (stream: %s)',
    async (stream) => {
      verifies('agent.loop.truncated');
      const given = JSON.stringify({ city: 'Lisbon' });
      let at = 0;
      const { ran, options } = await setUpWire(wire, () => ({
        calls: [
          { id: 'call_a', name: 'weather', arguments: { city: 'Oslo' } },
          { id: 'call_b', name: 'weather', arguments: given.slice(0, at) },
        ],
        finishReason: 'length',
      }));
      for (; at <= given.length; at += 1) {
        const result = await collect(run({ ...options, stream, messages }));
        expect(result.reason, `stopped after ${at}`).toBe('length');
        expect(ran, `stopped after ${at}`).toEqual([]);
        expect(JSON.stringify(result.messages), `stopped after ${at}`).not.toContain('tool-call');
      }
    },
  );
});
