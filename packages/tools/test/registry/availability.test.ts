import { callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createCapabilities, customCapabilities, environmentVariable, programOnPath } from '../../src/capabilities.ts';
import { createRegistry } from '../../src/index.ts';
import { caught, context, preparedCall, simple, toolCall, wait } from '../support.ts';

const signal = new AbortController().signal;
afterEach(() => void vi.useRealTimers());
let turn = 0;
const next = async (registry: ReturnType<typeof createRegistry>, given: object = {}): Promise<unknown> =>
  registry.listFor({ turn: (turn += 1), signal, ...given });

test('a hidden tool is not listed and not callable until it is promoted', async () => {
  verifies('tools.hidden', 'tools.get');
  const registry = createRegistry([simple('a')]);
  registry.register(simple('secret'), { hidden: true });
  expect([registry.names(), registry.has('secret'), registry.get('secret')]).toEqual([['a'], false, undefined]);
  expect(registry.get('secret', { includeHidden: true })?.tool.name).toBe('secret');
  const refused = await callTool(registry, toolCall('secret'), context());
  expect(refused.forLLM).toBe('TOOL_NOT_FOUND: no tool named "secret". The tools are "a".');
  registry.promote(['secret']);
  expect([registry.names(), (await callTool(registry, toolCall('secret'), context())).forLLM]).toEqual([
    ['a', 'secret'],
    'secret',
  ]);
});

test.each([1, 2, 5, undefined])(
  'a promotion for %s turns lasts exactly that long, and its end is reported',
  async (ttl) => {
    verifies('tools.hidden.ttl', 'tools.list.order');
    const registry = createRegistry();
    registry.register(simple('h'), { hidden: true });
    registry.register(simple('later'));
    const ended: string[] = [];
    registry.onEvent((event) => void (event.type === 'expired' && ended.push(event.name)));
    registry.promote(['h'], ttl);
    expect(registry.names()).toEqual(['later', 'h']);
    for (let count = 0; count < (ttl ?? 5); count += 1) {
      // oxlint-disable-next-line no-await-in-loop
      await next(registry);
      expect([registry.has('h'), ended]).toEqual([true, []]);
    }
    await next(registry);
    expect([registry.has('h'), ended]).toEqual([false, ['h']]);
  },
);

test('a call renews a promotion', async () => {
  verifies('tools.hidden.ttl');
  const registry = createRegistry();
  registry.register(simple('h'), { hidden: true });
  registry.promote(['h'], 2);
  const seen: boolean[] = [];
  for (const use of [false, true, false, false, false]) {
    // oxlint-disable-next-line no-await-in-loop
    await next(registry);
    seen.push(registry.has('h'));
    // oxlint-disable-next-line no-await-in-loop
    if (use) await registry.execute('h');
  }
  expect(seen).toEqual([true, true, true, true, false]);
});

test('promoting an unknown name throws, and one that is not hidden changes nothing', () => {
  verifies('tools.hidden');
  const registry = createRegistry([simple('a')]);
  const list = registry.list();
  registry.promote(['a']);
  expect(registry.list()).toBe(list);
  expect(caught(() => registry.promote(['b'])).code).toBe('TOOL_NOT_FOUND');
});

test('a turn in which nothing happens leaves the list the same array', async () => {
  verifies('tools.beginTurn');
  const registry = createRegistry([
    simple('a'),
    simple('c', { metadata: { optionality: 'conditional' } }, () => 'c', { when: () => true }),
  ]);
  await next(registry);
  const list = registry.list();
  expect(registry.names()).toEqual(['a', 'c']);
  await next(registry);
  expect(registry.list()).toBe(list);
});

test('a conditional tool is offered only in turns where its condition holds', async () => {
  verifies('tools.metadata.conditional', 'tools.beginTurn');
  const conditional = { metadata: { optionality: 'conditional' as const } };
  expect(caught(() => simple('c', conditional)).code).toBe('TOOL_SCHEMA_INVALID');
  const registry = createRegistry([
    simple('c', conditional, () => 'c', { when: ({ conversation }) => conversation?.channel === 'mail' }),
    simple('broken', conditional, () => 'b', {
      when: async () => {
        throw new Error('no answer');
      },
    }),
    simple('a'),
  ]);
  expect(registry.names()).toEqual(['a']);
  await next(registry, { conversation: { channel: 'mail', chatId: '1' } });
  expect(registry.names()).toEqual(['c', 'a']);
  expect((await registry.execute('c')).forLLM).toBe('c');
  await next(registry);
  expect(registry.names()).toEqual(['a']);
  expect((await registry.execute('c')).code).toBe('TOOL_UNAVAILABLE');
});

test('the result of a condition does not apply to a tool that replaced its own in the meantime', async () => {
  verifies('tools.metadata.conditional');
  const conditional = { metadata: { optionality: 'conditional' as const } };
  const asked = Promise.withResolvers<void>();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const when = (): Promise<boolean> => {
    asked.resolve();
    return promise;
  };
  const registry = createRegistry([simple('c', conditional, () => 'old', { when })]);
  const begun = next(registry);
  await asked.promise;
  registry.replace(simple('c', conditional, () => 'new', { when: () => false }));
  resolve(true);
  await begun;
  expect(registry.names()).toEqual([]);
});

test('a condition that hangs holds up a turn only until the abort, or for ten seconds', async () => {
  verifies('tools.beginTurn');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const registry = createRegistry([
    simple('c', { metadata: { optionality: 'conditional' } }, () => 'c', { when: () => new Promise(() => {}) }),
  ]);
  const stop = new AbortController();
  let begun = 0;
  const begin = async (number: number, given: AbortSignal) => {
    await registry.listFor({ turn: number, signal: given });
    begun += 1;
  };
  const aborted = begin(1, stop.signal);
  const patient = begin(2, signal);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(begun).toBe(0);
  stop.abort();
  await aborted;
  expect(begun).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  await patient;
  expect([begun, vi.getTimerCount()]).toEqual([2, 0]);
});

test('each required capability is checked; unknown and failing ones count as missing', async () => {
  verifies('tools.capabilities.check');
  const capabilities = createCapabilities({
    checks: [
      customCapabilities({
        yes: () => true,
        no: async () => false,
        broken: () => {
          throw new Error('x');
        },
      }),
      environmentVariable(),
      programOnPath(),
    ],
  });
  process.env['KERNEL_TEST_KEY'] = 'set';
  const names = [
    'yes',
    'no',
    'broken',
    'KERNEL_TEST_KEY',
    'env:KERNEL_TEST_KEY',
    'KERNEL_TEST_NONE',
    'sh',
    'program:sh',
    'no-such-program-here',
    '../sh',
    'a b',
  ];
  expect(await capabilities.missing(names)).toEqual([
    'no',
    'broken',
    'KERNEL_TEST_NONE',
    'no-such-program-here',
    '../sh',
    'a b',
  ]);
  delete process.env['KERNEL_TEST_KEY'];
});

test('a tool with a missing capability is not offered, a call to it says what is missing, and unavailable() says so too', async () => {
  verifies('tools.capabilities.list', 'tools.capabilities.call', 'tools.beginTurn');
  const capabilities = createCapabilities({ checks: [customCapabilities({ git: () => true, docker: () => false })] });
  const registry = createRegistry(
    [
      simple('a'),
      simple('git', { metadata: { requires: ['git'] } }),
      simple('both', { metadata: { requires: ['git', 'docker', 'moon'] } }),
    ],
    { capabilities },
  );
  expect((await registry.available()).map((tool) => tool.name)).toEqual(['a', 'git']);
  expect(registry.unavailable()).toEqual(new Map([['both', ['docker', 'moon']]]));
  const refused = await registry.execute('both');
  expect([refused.code, refused.forLLM]).toEqual([
    'TOOL_UNAVAILABLE',
    'TOOL_UNAVAILABLE: "both" cannot be used now: this machine lacks "docker", "moon".',
  ]);
  capabilities.override('docker', true);
  capabilities.override('moon', true);
  await next(registry);
  expect(registry.names()).toEqual(['a', 'git', 'both']);
  expect((await registry.execute('both')).forLLM).toBe('both');
});

test('a result is cached for its time, concurrent requests share one check, and an override takes effect at once', async () => {
  verifies('tools.capabilities.cache');
  let asked = 0;
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const capabilities = createCapabilities({
    ttlMs: 60_000,
    checks: [
      async () => {
        asked += 1;
        await wait(5);
        return true;
      },
    ],
  });
  expect(await Promise.all(Array.from({ length: 10 }, () => capabilities.has('x')))).toEqual(
    Array.from({ length: 10 }, () => true),
  );
  await capabilities.has('x');
  expect(asked).toBe(1);
  capabilities.override('x', false);
  expect([await capabilities.has('x'), asked]).toEqual([false, 1]);
  capabilities.override('x', undefined);
  now = 59_999;
  await capabilities.has('x');
  expect(asked).toBe(1);
  now = 60_000;
  expect([await capabilities.has('x'), asked]).toEqual([true, 2]);
});

test('disabled tools are not offered and not callable, and come back at their positions', async () => {
  verifies('tools.events.kinds', 'tools.list.order');
  const registry = createRegistry([simple('a'), simple('b'), simple('c')]);
  registry.disable(['a', 'b']);
  expect([registry.names(), (await registry.execute('a')).code]).toEqual([['c'], 'TOOL_NOT_FOUND']);
  registry.enable(['b']);
  registry.enable(['a']);
  expect(registry.names()).toEqual(['a', 'b', 'c']);
  expect(caught(() => registry.disable(['c', 'nobody'])).code).toBe('TOOL_NOT_FOUND');
  expect(registry.has('c')).toBe(true);
});

test('a check that hangs counts as missing after its timeout, and an abort ends the wait of a call at once', async () => {
  verifies('tools.capabilities.check', 'tools.execute.abort');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const checks = [(): Promise<boolean> => new Promise(() => {})];
  const registry = createRegistry([simple('h', { metadata: { requires: ['x'] } })], {
    capabilities: createCapabilities({ checks, timeoutMs: 300 }),
  });
  const stop = new AbortController();
  const codes: unknown[] = [];
  const aborted = registry.execute('h', {}, { signal: stop.signal }).then((result) => codes.push(result.code));
  const patient = registry.execute('h').then((result) => codes.push(result.code));
  await vi.advanceTimersByTimeAsync(299);
  expect(codes).toEqual([]);
  stop.abort();
  await aborted;
  await vi.advanceTimersByTimeAsync(1);
  await patient;
  expect(codes).toEqual(['TOOL_CANCELLED', 'TOOL_UNAVAILABLE']);
});

test('overridden metadata keeps what is known about this turn', async () => {
  verifies('tools.beginTurn');
  const registry = createRegistry([
    simple('c', { metadata: { optionality: 'conditional' } }, () => 'ok', { when: () => true }),
    simple('lacking', { metadata: { requires: ['program:nothing_of_this_name'] } }),
  ]);
  await next(registry);
  registry.overrideMetadata('c', { usageHint: 'x' });
  registry.overrideMetadata('lacking', { usageHint: 'x' });
  expect(registry.names()).toEqual(['c']);
  registry.overrideMetadata('lacking', { requires: [] });
  expect(registry.names()).toEqual(['c', 'lacking']);
});

test('a turn that several views begin counts once, in each conversation', async () => {
  verifies('tools.hidden.ttl');
  const registry = createRegistry();
  registry.register(simple('h'), { hidden: true });
  registry.promote(['h'], 2);
  const views = [registry.view(), registry.view(), registry];
  const shown: boolean[] = [];
  for (let round = 1; round <= 3; round += 1) {
    // oxlint-disable-next-line no-await-in-loop
    for (const view of views) await view.listFor({ turn: 1_000 + round, signal });
    shown.push(registry.has('h'));
  }
  expect(shown).toEqual([true, true, false]);
});

test('promoting again never shortens a promotion, which lasts a whole number of turns', async () => {
  verifies('tools.hidden.ttl');
  const registry = createRegistry();
  registry.register(simple('h'), { hidden: true });
  registry.promote(['h'], 3);
  registry.promote(['h'], 1);
  const shown: boolean[] = [];
  for (let round = 1; round <= 4; round += 1) {
    // oxlint-disable-next-line no-await-in-loop
    await next(registry);
    shown.push(registry.has('h'));
  }
  expect(shown).toEqual([true, true, true, false]);
  for (const ttl of [1.5, 0, -1, Number.NaN, Infinity]) {
    expect(() => registry.promote(['h'], ttl)).toThrow(/ttl must be a whole number/);
  }
});

test('a variable of one word in capitals is present if it is set', async () => {
  verifies('tools.capabilities.check');
  expect(await createCapabilities().missing(['PATH', 'NOTHING_OF_THIS', 'NOTHINGOFTHIS'])).toEqual([
    'NOTHING_OF_THIS',
    'NOTHINGOFTHIS',
  ]);
});

const CONDITIONAL = { metadata: { optionality: 'conditional' as const } };
/** A tool that is on offer to admins. */
const forAdmins = (asked: unknown[] = []) =>
  simple('secret', CONDITIONAL, () => 'told', {
    when({ context: role }) {
      asked.push(role);
      return role === 'admin';
    },
  });

test('a call is judged by the turn that it names, or else by the last one under its signal, or the last one of all', async () => {
  verifies('conditions.perRun');
  const asked: unknown[] = [];
  const registry = createRegistry([simple('a'), forAdmins(asked)]);
  const turnOf = (role: string) => ({ turn: 1, context: role, signal: new AbortController().signal });
  const [admin, guest] = [turnOf('admin'), turnOf('guest')];
  const listOf = async (given: typeof admin) => (await registry.listFor(given)).map((tool) => tool.name);
  expect([await listOf(admin), await listOf(guest), registry.names()]).toEqual([['a', 'secret'], ['a'], ['a']]);
  const codeIn = async (overrides: object) =>
    (await callTool(registry, toolCall('secret'), context(overrides))).code ?? 'ran';
  expect([await codeIn({ turn: admin }), await codeIn({ turn: guest })]).toEqual(['ran', 'TOOL_UNAVAILABLE']);
  expect([await codeIn({ signal: admin.signal }), await codeIn({ signal: guest.signal })]).toEqual([
    'ran',
    'TOOL_UNAVAILABLE',
  ]);
  expect(await codeIn({})).toBe('TOOL_UNAVAILABLE');
  const prepared = await preparedCall(registry, toolCall('secret'), context({ turn: admin }));
  expect((await prepared.run(context())).forLLM).toBe('told');
  const unknown = await callTool(registry, toolCall('secrt'), context({ turn: guest }));
  expect(unknown.forLLM).not.toContain('secret');
  expect(asked).toEqual(['admin', 'guest']);
});

test('a condition that was not asked in the turn of a call is asked then, once', async () => {
  verifies('conditions.perRun');
  const asked: unknown[] = [];
  const registry = createRegistry([forAdmins(asked)]);
  for (const [role, code] of [
    ['admin', undefined],
    ['guest', 'TOOL_UNAVAILABLE'],
  ] as const) {
    const resumed = { turn: 0, context: role, signal: context().signal };
    // oxlint-disable-next-line no-await-in-loop
    expect((await callTool(registry, toolCall('secret'), context({ turn: resumed }))).code).toBe(code);
    // oxlint-disable-next-line no-await-in-loop
    expect((await callTool(registry, toolCall('secret'), context({ turn: resumed }))).code).toBe(code);
  }
  expect(asked).toEqual(['admin', 'guest']);
});

test('turns that are offered the same tools get the same array, also after a change that changes nothing for them', async () => {
  verifies('conditions.sameList');
  const registry = createRegistry([simple('a'), forAdmins(), simple('b')]);
  const view = registry.view({ exclude: ['b'] });
  const outer = createRegistry();
  outer.mount('m', registry);
  for (const toolset of [registry, view, outer]) {
    const begin = async (role: string) => toolset.listFor({ turn: 1, context: role, signal: context().signal });
    // oxlint-disable-next-line no-await-in-loop
    const lists = await Promise.all(['admin', 'guest', 'admin', 'guest'].map(begin));
    expect(lists[0]).not.toBe(lists[1]);
    expect([lists[2] === lists[0], lists[3] === lists[1], Object.isFrozen(lists[0])]).toEqual([true, true, true]);
    registry.register(simple('hidden'), { hidden: true });
    registry.unregister('hidden');
    // oxlint-disable-next-line no-await-in-loop
    expect([(await begin('admin')) === lists[0], (await begin('guest')) === lists[1]]).toEqual([true, true]);
  }
  const plain = createRegistry([simple('a')]);
  expect(plain.listFor({ turn: 1, signal })).toBe(plain.list());
});
