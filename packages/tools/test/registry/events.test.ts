import { callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type RegistryEvent, createRegistry } from '../../src/index.ts';
import { context, simple, toolCall, wait } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

skipTime();

test('every kind of change is reported after it was made, with name and version', async () => {
  verifies('tools.events.kinds');
  const registry = createRegistry();
  const heard: string[] = [];
  const versions: number[] = [];
  registry.onEvent((event) => {
    if (!('version' in event)) return;
    heard.push(`${event.type} ${event.name}: ${registry.names().join(' ')}`);
    versions.push(event.version);
  });
  registry.register(simple('a'));
  registry.register(simple('h'), { hidden: true });
  registry.replace(simple('a'));
  registry.disable(['a']);
  registry.enable(['a']);
  registry.promote(['h'], 1);
  const signal = new AbortController().signal;
  await registry.listFor({ turn: 1, signal });
  await registry.listFor({ turn: 2, signal });
  registry.unregister('a');
  expect(heard).toEqual([
    'registered a: a',
    'registered h: a',
    'replaced a: a',
    'disabled a: ',
    'enabled a: a',
    'promoted h: a h',
    'expired h: a',
    'unregistered a: ',
  ]);
  expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
});

test('onEvent listens to calls and changes, subscribe to changes alone, whatever parameters a listener has', async () => {
  verifies('tools.events.kinds');
  const registry = createRegistry([
    simple('a', {}, async (_, given) => {
      given.onProgress?.('half');
      await wait(40);
    }),
  ]);
  const all: RegistryEvent['type'][] = [];
  const withRest: RegistryEvent['type'][] = [];
  const changes: unknown[] = [];
  const stop = registry.onEvent((event) => all.push(event.type));
  registry.onEvent((...events) => withRest.push(...events.map((event) => event.type)));
  registry.subscribe((...given: unknown[]) => changes.push(given));
  registry.view().subscribe(() => changes.push('view'));
  createRegistry().mount('m', registry);
  await callTool(registry, toolCall('a'), context());
  await registry.execute('a', {}, { timeoutMs: 5 });
  await wait(50);
  expect(all).toEqual([
    'call-start',
    'call-progress',
    'call-end',
    'call-start',
    'call-progress',
    'call-end',
    'call-late',
  ]);
  expect([withRest, changes]).toEqual([all, []]);
  stop();
  registry.register(simple('b'));
  expect([all.length, withRest.at(-1), changes]).toEqual([7, 'registered', [[], 'view']]);
});

test('a listener can change the registry; every listener gets every change, in order', () => {
  verifies('tools.events.kinds');
  const registry = createRegistry();
  const heard: string[] = [];
  registry.onEvent(({ type, ...event }) => {
    if (type === 'registered' && event.name === 'a') registry.register(simple('b'));
    if (type === 'registered' && event.name === 'b') registry.unregister('a');
  });
  registry.onEvent((event) => heard.push(`${event.type} ${event.name}`));
  registry.register(simple('a'));
  expect(heard).toEqual(['registered a', 'registered b', 'unregistered a']);
  expect(registry.names()).toEqual(['b']);
});

test('a listener that throws affects neither the change nor other listeners, and is reported', () => {
  verifies('tools.events.isolated');
  const reported: unknown[] = [];
  const registry = createRegistry([], {
    onListenerError(error, event) {
      reported.push([error, event.type]);
      throw new Error('the reporter too');
    },
  });
  const heard: string[] = [];
  const broken = new Error('listener');
  registry.subscribe(() => {
    throw broken;
  });
  registry.onEvent((event) => heard.push(event.type));
  expect(registry.register(simple('a'))).toBe('added');
  expect([registry.has('a'), heard, reported]).toEqual([true, ['registered'], [[broken, 'registered']]]);
});

test('a subscription can be removed at any time and more than once', () => {
  verifies('tools.events.unsubscribe');
  const registry = createRegistry();
  const heard: string[] = [];
  const undoFirst = registry.subscribe(() => {
    heard.push('first');
    undoFirst();
    undoSecond();
    undoSecond();
    registry.subscribe(() => heard.push('third'));
  });
  const undoSecond = registry.subscribe(() => heard.push('second'));
  registry.register(simple('a'));
  expect(heard).toEqual(['first']);
  undoFirst();
  registry.register(simple('b'));
  expect(heard).toEqual(['first', 'third']);
});

test('an empty description is allowed and reported as a warning', () => {
  verifies('tools.define.description');
  const registry = createRegistry();
  const warnings: unknown[] = [];
  registry.onEvent((event) => warnings.push('warnings' in event ? event.warnings : undefined));
  registry.registerAll([simple('a', { description: '' }), simple('b')]);
  expect(warnings).toEqual([['Tool "a" has an empty description: a model can only guess what it is for.'], undefined]);
});
