/** Judges how work grows with its input, by counts: no other program changes them. */
import { expect } from 'vitest';
import { countWork, type Work } from './work-counter.ts';

/** Work that is linear in its input. */
export interface Growth<Input> {
  /** Makes an input of about `size` characters or members. It isn't counted. */
  readonly make: (size: number) => Input;
  /** Does the work on one input. */
  readonly work: (input: Input) => unknown;
  /** The largest size, to which sizes double. Default 4096. */
  readonly largest?: number | undefined;
  /** Whether the work waits for a network, whose buffers differ each time: then bytes don't count. Default false. */
  readonly isRemote?: boolean | undefined;
}

/** Five sizes have four steps between them. */
const DOUBLINGS = 4;
/**
 * A step costs 2 times the step before where work is linear, and 4 times where it is quadratic. The last two steps must
 * agree.
 */
const MAX_FACTOR = 2.9;
/** Work that is refused, or cut, at all sizes but the largest shows in the last step alone. */
const MAX_JUMP = 8;
/**
 * A step of less than one for two units of size is noise, and so are 2 MiB: V8 counts whole areas of memory, and some
 * twice.
 */
const MIN_COUNT = 0.5;
const MIN_BYTES = 2 * 1024 * 1024;

/**
 * Expects that `work` takes work in proportion to its input. Fails, too, if the last step costs no more than the step
 * before: then the largest input was refused.
 */
export async function expectLinear<Input>({
  make,
  work,
  largest = 4096,
  isRemote = false,
}: Growth<Input>): Promise<void> {
  const sizes = Array.from({ length: DOUBLINGS + 1 }, (_, at) => Math.ceil(largest / 2 ** (DOUBLINGS - at)));
  // What the first call alone does, such as compiling, doesn't count.
  await work(make(sizes[0] ?? 1));
  const counts: Work[] = [];
  for (const size of sizes) {
    const input = make(size);
    counts.push(await countWork(() => work(input)));
  }
  const lines = counts.map(({ blocks, natives, patterns, bytes }, at) =>
    [sizes[at], blocks, natives, patterns, bytes].join(' '),
  );
  const table = `size blocks natives patterns bytes: ${lines.join('; ')}`;
  const stepsOf = (value: (each: Work) => number): readonly number[] =>
    counts.slice(1).map((each, at) => value(each) - value(counts[at] ?? each));
  const kinds = ['blocks', 'natives', 'patterns', ...(isRemote ? [] : (['bytes'] as const))] as const;
  const steep = kinds.filter((kind) => {
    const steps = stepsOf((each) => each[kind]);
    const isSteep = steps.map((step, at) => {
      const floor = kind === 'bytes' ? MIN_BYTES : MIN_COUNT * ((sizes[at] ?? 0) - (sizes[at - 1] ?? 0));
      return at > 0 && step > MAX_FACTOR * Math.max(steps[at - 1] ?? 0, floor);
    });
    const [before = 0, last = 0] = steps.slice(-2);
    // A cache that works from some size on makes a step negative.
    const isJump = kind !== 'bytes' && before > 0 && last > MAX_JUMP * before;
    return isSteep.slice(-2).every(Boolean) || isJump;
  });
  expect(steep, `The work grows faster than its input: ${table}`).toEqual([]);
  const [before = 0, last = 0] = stepsOf(totalOf).slice(-2);
  expect(last, `The largest input was not worked on: ${table}`).toBeGreaterThan(Math.max(0, before));
}

/** Returns how many blocks, members and characters `work` passes. */
export async function workOf(work: () => unknown): Promise<number> {
  return totalOf(await countWork(work));
}

const totalOf = ({ blocks, natives, patterns }: Work): number => blocks + natives + patterns;
