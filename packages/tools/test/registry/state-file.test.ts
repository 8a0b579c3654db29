import { lstat, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CODE_AGENT } from '../../src/compat/index.ts';
import { createRegistry, loadRegistry, saveRegistry } from '../../src/index.ts';
import { caught, simple } from '../support.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-'));
});
afterAll(() => rm(folder, { recursive: true }));

const create = (): ReturnType<typeof createRegistry> => {
  const registry = createRegistry([
    simple('a'),
    simple('b', { metadata: { category: 'code', tags: ['x'] } }),
    simple('c'),
  ]);
  registry.register(simple('h'), { hidden: true });
  return registry;
};

test('enabled and hidden tools, metadata overrides and bundles survive a save and a load', async () => {
  verifies('tools.persist.save', 'tools.persist.load');
  const file = join(folder, 'state.json');
  const registry = create();
  registry.disable(['a']);
  registry.overrideMetadata('b', { usageHint: 'Use last.', category: 'vcs' });
  await saveRegistry(registry, file, { bundles: [CODE_AGENT] });
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    version: 1,
    tools: { a: { enabled: false, hidden: false }, h: { hidden: true } },
  });

  const restored = createRegistry([
    simple('a'),
    simple('b', { metadata: { category: 'code', tags: ['x'] } }),
    simple('h'),
    simple('new'),
  ]);
  const loaded = await loadRegistry(restored, file);
  expect(loaded).toEqual({ unknown: ['c'], bundles: [CODE_AGENT] });
  expect(restored.names()).toEqual(['b', 'new']);
  expect(restored.list()[0]?.metadata).toEqual({ category: 'vcs', tags: ['x'], usageHint: 'Use last.' });
  expect(Object.isFrozen(restored.list()[0])).toBe(true);
  restored.enable(['a']);
  restored.promote(['h']);
  expect(restored.names()).toEqual(['a', 'b', 'new', 'h']);
});

test.each([
  ['no JSON', '{"version":1,"tools":{', 'is not valid JSON'],
  ['no object', '[]', 'does not hold a JSON object'],
  ['no version', '{"tools":{},"bundles":[]}', 'has no version'],
  ['a newer version', '{"version":2,"tools":{},"bundles":[]}', 'has version 2, but this program only reads up to 1'],
  ['no tools', '{"version":1,"bundles":[]}', 'has no "tools" object'],
  ['version 0', '{"version":0,"tools":{},"bundles":[]}', 'has the version 0'],
  ['a negative version', '{"version":-3,"tools":{},"bundles":[]}', 'has the version -3'],
  [
    'a wrong tool',
    '{"version":1,"tools":{"a":{"enabled":false,"hidden":false},"b":{"enabled":1}},"bundles":[]}',
    'has an invalid entry at "/tools/b"',
  ],
  [
    'a wrong bundle',
    '{"version":1,"tools":{"a":{"enabled":false,"hidden":false}},"bundles":[{}]}',
    'has an invalid entry at "/bundles/0"',
  ],
  [
    'wrong metadata',
    '{"version":1,"tools":{"a":{"enabled":false,"hidden":false},"b":{"enabled":true,"hidden":false,"metadata":{"optionality":"x"}}},"bundles":[]}',
    'The saved state of tool "b" cannot be used',
  ],
])('a file with %s is rejected with a clear error, and nothing changes', async (name, text, message) => {
  verifies('tools.persist.load');
  const file = join(folder, `${name}.json`);
  await writeFile(file, text);
  const registry = create();
  const { version } = registry;
  const error: unknown = await loadRegistry(registry, file).catch((thrown: unknown) => thrown);
  expect(KernelError.is(error, 'CONFIG_INVALID')).toBe(true);
  expect((error as KernelError).message).toContain(message);
  expect([registry.version, registry.names()]).toEqual([version, ['a', 'b', 'c']]);
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('saving is atomic: a reader sees the old or the new file, and a failure leaves no temporary file', async () => {
  verifies('tools.persist.save');
  const file = join(folder, 'atomic.json');
  const registry = createRegistry(Array.from({ length: 200 }, (_, index) => simple(`tool_${index}`)));
  await saveRegistry(registry, file);
  const reading = new AbortController();
  const reader = (async () => {
    // oxlint-disable-next-line no-await-in-loop
    while (!reading.signal.aborted) JSON.parse(await readFile(file, 'utf8'));
  })();
  // oxlint-disable-next-line no-await-in-loop
  for (let count = 0; count < 10; count += 1) await saveRegistry(registry, file);
  reading.abort();
  await reader;
  await expect(saveRegistry(registry, join(folder, 'none', 'x.json'))).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('an override is checked like the tool’s own metadata', () => {
  verifies('tools.metadata.fields');
  const registry = create();
  expect(caught(() => registry.overrideMetadata('a', { optionality: 'conditional' })).code).toBe('TOOL_SCHEMA_INVALID');
  expect(caught(() => registry.overrideMetadata('zz', {})).code).toBe('TOOL_NOT_FOUND');
});

test('a missing file is an error that names the file', async () => {
  verifies('tools.persist.load');
  const file = join(folder, 'nowhere.json');
  const error: unknown = await loadRegistry(create(), file).catch((thrown: unknown) => thrown);
  expect(KernelError.is(error, 'CONFIG_INVALID')).toBe(true);
  expect((error as KernelError).message).toBe(`The registry file "${file}" is missing.`);
});

test('a symbolic link stays one, and its target is replaced', async () => {
  verifies('tools.persist.save');
  const real = join(folder, 'real.json');
  const link = join(folder, 'link.json');
  await writeFile(real, 'old');
  await symlink(real, link);
  await saveRegistry(create(), link);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(JSON.parse(await readFile(real, 'utf8'))).toMatchObject({ version: 1 });
});

test('loading reverts metadata that was overridden after the save', async () => {
  verifies('tools.persist.load');
  const file = join(folder, 'metadata.json');
  const registry = create();
  const [, plain] = registry.list();
  registry.overrideMetadata('a', { usageHint: 'before' });
  await saveRegistry(registry, file);
  registry.overrideMetadata('a', { usageHint: 'after', tags: ['x'] });
  registry.overrideMetadata('b', { category: 'code' });
  await loadRegistry(registry, file);
  expect(registry.get('a')?.tool.metadata).toEqual({ usageHint: 'before' });
  expect(registry.get('b')?.tool).toBe(plain);
  expect(registry.state().get('b')).toEqual({ enabled: true, hidden: false });
});

test('a file that an editor gave a byte order mark loads as it is', async () => {
  verifies('tools.stores.mark');
  const file = join(folder, 'marked.json');
  const registry = create();
  await saveRegistry(registry, file);
  await writeFile(file, `\uFEFF${await readFile(file, 'utf8')}`);
  expect(await loadRegistry(registry, file)).toEqual({ unknown: [], bundles: [] });
});
