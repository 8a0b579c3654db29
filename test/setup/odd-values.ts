// oxlint-disable unicorn/no-thenable -- thenables of every kind are what the tests are about
/** A random number generator that gives the same numbers for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of some values. */
export function pick<T>(random: () => number, values: readonly T[]): T {
  // oxlint-disable-next-line typescript/no-non-null-assertion -- the index is in the list
  return values[Math.floor(random() * values.length)]!;
}

function fail(): never {
  throw new Error('a getter threw');
}

function revoked(target: object = {}): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

const throwingProxy = (target: object): unknown =>
  new Proxy(target, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail });

function nested(depth: number): unknown {
  let value: unknown = 'sk-secret-in-the-deep';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}

const DEEP = nested(3_000);
const DEEPER = nested(60_000);
const HUGE = Array.from({ length: 2_000 }, (_, index) => index);
/** How many reads a fickle getter answers before it throws. */
const fickle = (reads: number, value: unknown): (() => unknown) => {
  let left = reads;
  return () => {
    left -= 1;
    if (left < 0) fail();
    return value;
  };
};

/** Values that programs meet seldom, each made anew. Some of them throw whatever is done with them. */
const ODD_VALUES: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => '',
  () => 'text',
  () => Number.NaN,
  () => 10n ** 30n,
  () => Symbol('odd'),
  () => () => 'a function',
  () => new Date(Number.NaN),
  () => new Map([[{}, 1]]),
  () => new Uint8Array(8),
  () => new WeakMap(),
  () => Object.create(null),
  () => ({ [Symbol.toPrimitive]: fail }),
  () => ({ toString: fail, valueOf: fail }),
  () => ({ toJSON: fail }),
  () => ({ toJSON: () => ({ toJSON: () => fail() }) }),
  () => ({
    a: {
      get b() {
        return fail();
      },
    },
  }),
  () => Object.defineProperty({}, 'a', { enumerable: true, get: fickle(1, 'once') }),
  () => Object.defineProperty([], 0, { enumerable: true, get: fail }),
  () => JSON.parse('{"__proto__":{"then":1},"constructor":{"name":7}}') as unknown,
  () => ({ constructor: throwingProxy(Object) }),
  () => throwingProxy({}),
  () => throwingProxy([]),
  () => throwingProxy(() => 1),
  () => revoked(),
  () => revoked([]),
  () => revoked(new Error('x')),
  () => new Proxy(new Error('proxied'), { get: fail }),
  () => new Proxy([], { get: (target, key) => (key === 'length' ? 5 : Reflect.get(target, key)) }),
  () => new ReadableStream(),
  () => new URL('https://example.com/'),
  () => new Error('an error as a value'),
  () => Object.defineProperty(new Error('x'), 'message', { get: fail }),
  () => Object.assign(new Error('x'), { message: 7 }),
  () => new AggregateError([new Error('one')], ''),
  () => ({ [Symbol.for('@kernel/protocol/KernelError')]: true }),
  () => ({ [Symbol.for('@kernel/protocol/KernelError')]: true, code: 'TOOL_FAILED', message: Symbol('m'), hint: {} }),
  () =>
    Object.defineProperty({ [Symbol.for('@kernel/protocol/KernelError')]: true, code: 'TOOL_DENIED' }, 'message', {
      get: fail,
    }),
];

const ODD_FIELDS = [
  'forLLM',
  'forUser',
  'data',
  'media',
  'repairs',
  'error',
  'code',
  'outcome',
  'isError',
  'async',
  'then',
];

/** Values that take a while: few of them show the same. */
const RING: Record<string, unknown> = {};
RING['self'] = [RING]; // V8 takes ten milliseconds to describe it
const LARGE_VALUES: readonly unknown[] = [RING, DEEP, DEEPER, HUGE, Array.from({ length: 1_000 }), 'x'.repeat(100_000)];

/** An odd value, seldom a large one. */
export function oddValue(random: () => number): unknown {
  return random() < 0.0005 ? pick(random, LARGE_VALUES) : pick(random, ODD_VALUES)();
}

/** A result with odd fields. */
export function oddResult(random: () => number): unknown {
  const result: Record<string, unknown> = { forLLM: pick(random, ['', 'text', 'sk-secret-in-the-deep']) };
  for (let count = Math.floor(random() * 3); count >= 0; count -= 1) {
    const field = pick(random, ODD_FIELDS);
    const value = oddValue(random);
    if (random() < 0.3)
      Object.defineProperty(result, field, { enumerable: true, configurable: true, get: fickle(count, value) });
    else Object.defineProperty(result, field, { enumerable: true, configurable: true, value });
  }
  return random() < 0.05 ? throwingProxy(result) : result;
}

class OddPromise<T> extends Promise<T> {
  override then(): never {
    return fail();
  }
}

type Later = (work: () => void) => void;

/** What promises a value, or does not. `later` runs a function soon. */
const ODD_PROMISES: readonly ((value: unknown, later: Later) => unknown)[] = [
  (value) => value,
  (value) => Promise.resolve(value),
  (value) => Promise.reject(value),
  () => new Promise(() => {}),
  (value, later) => new Promise((resolve) => later(() => resolve(value))),
  (value) => ({ then: (resolve: (value: unknown) => void) => resolve(value) }),
  (value) => ({
    then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => [
      resolve(value),
      reject(value),
      resolve(1),
    ],
  }),
  (value, later) => ({
    then: (resolve: (value: unknown) => void) => later(() => [resolve(value), resolve(value)]),
  }),
  () => ({ then: () => {} }),
  () => ({ then: fail }),
  () => ({
    get then() {
      return fail();
    },
  }),
  async function* (value) {
    yield value;
    return value;
  },
  async function* (value) {
    yield value;
    throw value;
  },
  async function* () {
    try {
      yield 'a';
      await new Promise(() => {});
    } finally {
      fail();
    }
  },
  () => ({ [Symbol.asyncIterator]: fail, next: fail, return: fail }),
  (value) => ({ [Symbol.asyncIterator]: 1, next: () => value, return: () => new Promise(() => {}) }),
  () => new ReadableStream({ pull: fail }),
];

/** Promises whose `then` is not that of `Promise`: what they reject with is lost to `await`, so JavaScript itself reports it as unhandled. */
const STRANGE_PROMISES: readonly ((value: unknown) => unknown)[] = [
  () => ({
    async then() {
      fail();
    },
  }),
  (value) => OddPromise.resolve(value),
  () => new Proxy(Promise.resolve(1), {}),
  (value) => Object.assign(Promise.resolve(value), { then: fail }),
];

/** Wraps a value in something that promises it, or does not. `later` runs a function soon. */
export function oddPromise(random: () => number, value: unknown, later: Later): unknown {
  return pick(random, ODD_PROMISES)(value, later);
}

/**
 * Wraps a value in something that `await` does not settle as it should: it rejects unseen, or resolves to itself, which blocks a process as a
 * synchronous loop does.
 */
export function strangePromise(random: () => number, value: unknown): unknown {
  if (random() < 0.8) return pick(random, STRANGE_PROMISES)(value);
  // An endless generator takes much time: few of them show the same.
  if (random() < 0.05) return endlessGenerator();
  const self = { then: (resolve: (value: unknown) => void) => resolve(self) };
  return self;
}

async function* endlessGenerator(): AsyncGenerator<string> {
  for (;;) yield 'endless';
}
