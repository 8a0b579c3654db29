/* oxlint-disable no-await-in-loop -- sequential on purpose */
import assert from 'node:assert/strict';
import { KernelError, type ProviderEvent, type ProviderRequest } from '@kernel/protocol';
import { type ConformanceCase, withSubject } from './case.ts';
import type { ConformanceSubject } from './provider.ts';
import { outcome } from './read-events.ts';

/** How the recorded bytes reach the provider. Default: whole. */
export interface WireDelivery {
  /** Ends the response after this many bytes. */
  readonly cutAfter?: number | undefined;
  /** Splits the response at these offsets, each piece in its own write. */
  readonly splitAt?: readonly number[] | undefined;
}

/** A recorded reply of a vendor, and how to play it to a provider. */
export interface WireRecording {
  /** The body of the response. */
  readonly bytes: Uint8Array;
  /** How many random chunkings are tried; always the same ones. Default 200. */
  readonly chunkings?: number | undefined;
  /** Cuts the recording after every so many bytes: raise it for a second transport under the same decoder. Default 1. */
  readonly cutStep?: number | undefined;
  /** Creates a provider whose next requests all receive the recording, each delivered as `next()` says. */
  make(next: () => WireDelivery): ConformanceSubject | Promise<ConformanceSubject>;
}

/** How many bytes apart the splits of one response are; each offset is a split in one of as many responses. */
const STRIDE = 24;
const REQUEST: ProviderRequest = { model: 'test-model', messages: [{ role: 'user', content: 'Go on.' }] };

/** Returns the behaviors that depend on bytes: a recorded stream split at every offset and cut after every byte. */
export function wireConformance(recording: WireRecording): readonly ConformanceCase[] {
  async function play(
    work: (
      run: (delivery: WireDelivery) => Promise<{ events: readonly ProviderEvent[]; error?: unknown }>,
    ) => Promise<void>,
  ): Promise<void> {
    let delivery: WireDelivery = {};
    await withSubject(
      () => recording.make(() => delivery),
      ({ provider }) =>
        work((given) => {
          delivery = given;
          return outcome(provider.stream(REQUEST));
        }),
    );
  }

  return [
    {
      name: 'a recorded stream gives the same events when it is split at every offset',
      run: () =>
        play(async (run) => {
          const whole = await run({});
          assert.equal(whole.error, undefined);
          // Each response has many splits, so that few are needed; in the last one every byte comes alone.
          for (let first = 1; first <= STRIDE + 1; first += 1) {
            const splitAt = offsets(recording.bytes.length, first > STRIDE ? 1 : first, first > STRIDE ? 1 : STRIDE);
            assert.deepEqual(await run({ splitAt }), whole, `split at ${splitAt.join()}`);
          }
        }),
    },
    {
      name: 'a recorded stream gives the same events in random chunkings',
      run: () =>
        play(async (run) => {
          const whole = await run({});
          const random = seeded(recording.bytes.length);
          for (let round = 0; round < (recording.chunkings ?? 200); round += 1) {
            const cuts = Array.from({ length: 2 + Math.floor(random() * 7) }, () =>
              Math.floor(random() * recording.bytes.length),
            );
            const splitAt = [...new Set(cuts)].toSorted((a, b) => a - b);
            assert.deepEqual(await run({ splitAt }), whole, `split at ${splitAt.join()}`);
          }
        }),
    },
    {
      name: 'a recorded stream cut after every byte gives the same message or one typed error, never a shorter message',
      run: () =>
        play(async (run) => {
          const whole = await run({});
          for (let cutAfter = 0; cutAfter < recording.bytes.length; cutAfter += recording.cutStep ?? 1) {
            const { error, events } = await run({ cutAfter });
            if (error === undefined) {
              const [last, expected] = [events.at(-1), whole.events.at(-1)];
              assert.ok(last?.type === 'message-end' && expected?.type === 'message-end', `cut after ${cutAfter}`);
              assert.deepEqual(last.message, expected.message, `cut after ${cutAfter}`);
            } else {
              assert.ok(KernelError.is(error), `cut after ${cutAfter}: did not throw a KernelError`);
              assert.ok(!events.some((event) => event.type === 'message-end'), `cut after ${cutAfter}`);
            }
          }
        }),
    },
  ];
}

/** Every `step`-th offset within this many bytes. */
function offsets(length: number, first: number, step: number): readonly number[] {
  return Array.from({ length: Math.max(0, Math.ceil((length - first) / step)) }, (_, at) => first + at * step);
}

/** Returns numbers from 0 to 1, the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
