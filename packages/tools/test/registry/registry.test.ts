import { KernelError, callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/index.ts';
import { caught, context, latch, simple, toolCall } from '../support.ts';

test('a registered tool is listed, found and counted', () => {
  verifies('tools.register.ok', 'tools.names', 'tools.get');
  const registry = createRegistry();
  const binding = simple('read_file');
  expect(registry.register(binding)).toBe('added');
  expect([registry.size, registry.has('read_file'), registry.names()]).toEqual([1, true, ['read_file']]);
  expect(registry.list()).toEqual([binding.tool]);
  expect(registry.get('read_file')).toBe(binding);
  expect(registry.get('other')).toBeUndefined();
});

test('a duplicate name names free alternatives and changes nothing', () => {
  verifies('tools.register.duplicate', 'tools.errors.class');
  const registry = createRegistry([simple('x'), simple('x_v2')]);
  const { version } = registry;
  const error = caught(() => registry.register(simple('x')));
  expect(error.code).toBe('TOOL_ALREADY_EXISTS');
  expect(error.message).toContain('"x"');
  expect(error.hint).toContain('Use a different name');
  expect(error.data).toEqual({ names: ['x'], suggestions: ['x_alt', 'x_2', 'x_3'] });
  expect([registry.version, registry.size]).toEqual([version, 2]);
});

test('a conflict is resolved as the options say, and the result says how', () => {
  verifies('tools.register.conflict');
  const registry = createRegistry([simple('x')]);
  const next = simple('x', { description: 'new' });
  expect(registry.register(next, { onConflict: 'skip' })).toBe('skipped');
  expect(registry.list()[0]?.description).toBe('Does x.');
  expect(registry.register(next, { onConflict: 'replace' })).toBe('replaced');
  expect(registry.get('x')).toBe(next);
});

test.each(['', '  ', '\n'])('the empty name %j is rejected by register and replace', (name) => {
  verifies('tools.register.empty');
  const registry = createRegistry();
  for (const change of ['register', 'replace'] as const) {
    const error = caught(() => registry[change](simple(name)));
    expect(error.code).toBe('TOOL_NAME_INVALID');
    expect(error.message).toBe('The tool name is empty: <unnamed>.');
  }
});

test('an invalid name is rejected with a valid spelling; inherited names are names like any other', async () => {
  verifies('tools.register.name');
  const registry = createRegistry();
  expect(caught(() => registry.register(simple('weather.get today')))).toMatchObject({
    code: 'TOOL_NAME_INVALID',
    data: { suggestion: 'weather_get_today' },
  });
  expect(caught(() => registry.register(simple('x'.repeat(65)))).data).toEqual({ suggestion: 'x'.repeat(64) });
  expect(caught(() => registry.register(simple('ツール'))).data).toBeUndefined();
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    expect(registry.has(name)).toBe(false);
    expect(registry.get(name)).toBeUndefined();
    // oxlint-disable-next-line no-await-in-loop
    expect((await callTool(registry, toolCall(name), context())).code).toBe('TOOL_NOT_FOUND');
    registry.register(simple(name));
    // oxlint-disable-next-line no-await-in-loop
    expect((await callTool(registry, toolCall(name), context())).forLLM).toBe(name);
  }
});

test('a batch adds all or nothing and lists every clash', () => {
  verifies('tools.register.batch');
  const registry = createRegistry([simple('a'), simple('b')]);
  const error = caught(() => registry.registerAll([simple('c'), simple('a'), simple('b'), simple('c')]));
  expect(error.code).toBe('TOOL_ALREADY_EXISTS');
  expect(error.data?.['names']).toEqual(['a', 'b', 'c']);
  expect(registry.names()).toEqual(['a', 'b']);
  const other = createRegistry([simple('d'), simple('a')]);
  expect(caught(() => registry.merge(other)).data?.['names']).toEqual(['a']);
  expect(registry.names()).toEqual(['a', 'b']);
  expect(registry.merge(createRegistry([simple('d'), simple('e')]))).toEqual(['added', 'added']);
  expect(registry.names()).toEqual(['a', 'b', 'd', 'e']);
  expect(caught(() => createRegistry([simple('z'), simple('z')])).code).toBe('TOOL_ALREADY_EXISTS');
  expect(caught(() => registry.registerAll([simple('ok'), simple('not ok')])).code).toBe('TOOL_NAME_INVALID');
  expect(registry.has('ok')).toBe(false);
});

test('merging adds hidden tools as hidden', () => {
  verifies('tools.register.batch');
  const other = createRegistry([simple('shown')]);
  other.register(simple('secret'), { hidden: true });
  const registry = createRegistry();
  registry.merge(other);
  expect(registry.names()).toEqual(['shown']);
  expect(registry.get('secret', { includeHidden: true })?.tool.name).toBe('secret');
});

test('replacing swaps tool and handler at the same position', async () => {
  verifies('tools.replace.ok');
  const registry = createRegistry([simple('a'), simple('b'), simple('c')]);
  const next = simple('b', { description: 'new' }, () => 'new b');
  registry.replace(next);
  expect(registry.names()).toEqual(['a', 'b', 'c']);
  expect(registry.list()[1]).toBe(next.tool);
  expect((await registry.execute('b')).forLLM).toBe('new b');
});

test('replacing an unknown tool throws with a similar name and adds nothing', () => {
  verifies('tools.replace.missing');
  const registry = createRegistry([simple('read_file')]);
  const error = caught(() => registry.replace(simple('read_flie')));
  expect([error.code, error.hint]).toEqual(['TOOL_NOT_FOUND', 'Did you mean "read_file"?']);
  expect(registry.size).toBe(1);
});

test('unregister returns whether the tool existed, and throws for an unknown name only with strict', () => {
  verifies('tools.unregister');
  const registry = createRegistry([simple('a')]);
  expect([registry.unregister('a'), registry.unregister('a'), registry.has('a')]).toEqual([true, false, false]);
  expect(caught(() => registry.unregister('a', { strict: true })).code).toBe('TOOL_NOT_FOUND');
});

test('the list is in order of registration, and a replaced tool keeps its position', () => {
  verifies('tools.list.order');
  const registry = createRegistry([simple('c'), simple('a')]);
  registry.register(simple('b'));
  registry.replace(simple('c'));
  expect(registry.names()).toEqual(['c', 'a', 'b']);
  for (const tool of registry.list())
    expect(Object.keys(tool)).toEqual(expect.arrayContaining(['name', 'description', 'parameters']));
});

test('the list and the version stay the same until a successful change', () => {
  verifies('tools.list.cached');
  const registry = createRegistry([simple('a')]);
  registry.register(simple('hidden'), { hidden: true });
  const changes: (() => unknown)[] = [
    () => registry.register(simple('b')),
    () => registry.replace(simple('b')),
    () => registry.unregister('b'),
    () => registry.promote(['hidden']),
  ];
  for (const change of changes) {
    const [list, version] = [registry.list(), registry.version];
    expect(registry.list()).toBe(list);
    expect(() => registry.register(simple('a'))).toThrow(KernelError);
    registry.unregister('nobody');
    expect(registry.list()).toBe(list);
    expect(registry.version).toBe(version);
    change();
    expect(registry.list()).not.toBe(list);
    expect(Object.isFrozen(registry.list())).toBe(true);
    expect(registry.version).toBeGreaterThan(version);
  }
});

test('a running call finishes with the handler it started with, and the next one sees the change', async () => {
  verifies('tools.change.running');
  const { promise: held, release } = latch();
  const registry = createRegistry([
    simple('a', {}, () => held.then(() => 'old')),
    simple('b', {}, () => held.then(() => 'old b')),
  ]);
  const running = [registry.execute('a'), registry.execute('b')];
  registry.replace(simple('a', {}, () => 'new'));
  registry.unregister('b');
  expect((await registry.execute('a')).forLLM).toBe('new');
  expect((await registry.execute('b')).code).toBe('TOOL_NOT_FOUND');
  release();
  expect((await Promise.all(running)).map((result) => result.forLLM)).toEqual(['old', 'old b']);
});

test('a handler can change its own registry, even its own registration', async () => {
  verifies('tools.change.reentrant');
  const registry = createRegistry();
  registry.register(
    simple('self', {}, async () => {
      registry.register(simple('child'));
      registry.replace(simple('self', {}, () => 'second self'));
      const inner = await registry.execute('child');
      registry.unregister('child');
      return `first self, ${inner.forLLM}`;
    }),
  );
  expect((await registry.execute('self')).forLLM).toBe('first self, child');
  expect((await registry.execute('self')).forLLM).toBe('second self');
  expect(registry.names()).toEqual(['self']);
});

test('a thousand interleaved changes and calls end in agreement, and no call is lost', async () => {
  verifies('tools.change.stress');
  const registry = createRegistry();
  const live = new Set<string>();
  registry.onEvent((event) => {
    if (event.type === 'registered') live.add(event.name);
    if (event.type === 'unregistered') live.delete(event.name);
  });
  const calls: Promise<{ readonly forLLM: string }>[] = [];
  for (let step = 0; step < 1000; step += 1) {
    const name = `tool_${step % 37}`;
    if (step % 3 === 0)
      registry.register(
        simple(name, {}, async () => name),
        { onConflict: 'skip' },
      );
    else if (step % 3 === 1) calls.push(callTool(registry, toolCall(name), context()));
    else registry.unregister(`tool_${(step * 7) % 37}`);
  }
  const results = await Promise.all(calls);
  expect(results).toHaveLength(333);
  for (const result of results) expect(result.forLLM).toMatch(/^(tool_\d+$|TOOL_NOT_FOUND)/);
  expect(registry.names().toSorted()).toEqual([...live].toSorted());
  expect(registry.size).toBe(live.size);
});

test('a registration that replaces hides or shows the tool as it says, and a merge does as well', () => {
  verifies('tools.hidden');
  const registry = createRegistry([simple('a'), simple('b')]);
  registry.register(simple('a'), { onConflict: 'replace', hidden: true });
  expect(registry.names()).toEqual(['b']);
  registry.register(simple('a'), { onConflict: 'replace' });
  expect(registry.names()).toEqual(['b']);
  registry.register(simple('a'), { onConflict: 'replace', hidden: false });
  expect(registry.names()).toEqual(['a', 'b']);
  const other = createRegistry();
  other.register(simple('b'), { hidden: true });
  registry.merge(other, { onConflict: 'replace' });
  expect(registry.names()).toEqual(['a']);
});
