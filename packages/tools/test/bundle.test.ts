import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createCapabilities, customCapabilities } from '../src/capabilities.ts';
import { BLOG_AGENT, CODE_AGENT } from '../src/compat/index.ts';
import { type ToolBundle, createRegistry, defineBundle, resolveBundle } from '../src/index.ts';
import { caught, simple } from './support.ts';

const capabilities = createCapabilities({ checks: [customCapabilities({ git: () => false })] });
/** A bundle as an earlier system has it. */
const CODE = defineBundle({
  name: 'code',
  description: '',
  required: ['file', 'code_edit', 'search', 'navigate', 'git'],
  optional: ['bash', 'test', 'web_search'],
});
const create = (...names: readonly string[]): ReturnType<typeof createRegistry> =>
  createRegistry(
    names.map((name) => simple(name, name === 'git' ? { metadata: { requires: ['git'] } } : {})),
    { capabilities },
  );

test('a bundle names required and optional tools, and none as both', () => {
  verifies('tools.bundles.shape');
  const bundle: ToolBundle = { name: 'b', description: 'd', required: ['a'], optional: ['c'] };
  expect(defineBundle(bundle)).toEqual(bundle);
  expect(caught(() => defineBundle({ ...bundle, optional: ['a'] })).message).toBe(
    'Bundle "b" names "a" as required and as optional.',
  );
});

test('a bundle resolves to a view of its tools and to what is missing or unavailable', async () => {
  verifies('tools.bundles.resolve');
  const registry = create('file', 'search', 'git', 'bash', 'other');
  const resolved = await resolveBundle(registry, CODE);
  expect(resolved.tools.names()).toEqual(['file', 'search', 'bash']);
  expect(resolved).toMatchObject({
    missingRequired: ['code_edit', 'navigate'],
    missingOptional: ['test', 'web_search'],
    unavailable: new Map([['git', ['git']]]),
  });
  registry.register(simple('navigate'));
  expect(resolved.tools.names()).toEqual(['file', 'search', 'bash', 'navigate']);
});

test('a strict bundle lists every required tool that is missing or unavailable; optional ones never matter', async () => {
  verifies('tools.bundles.strict');
  const registry = create('file', 'search', 'git');
  const error: unknown = await resolveBundle(registry, CODE, { strict: true }).catch((thrown: unknown) => thrown);
  expect(KernelError.is(error, 'BUNDLE_INCOMPLETE')).toBe(true);
  expect((error as KernelError).message).toBe(
    'Bundle "code" lacks "code_edit" (not registered), "navigate" (not registered), "git" (lacks git).',
  );
  expect((await resolveBundle(registry, BLOG_AGENT, { strict: true })).missingOptional).toHaveLength(8);
});

test('bundles nest: what one of them requires is required, and a circle is rejected', async () => {
  verifies('tools.bundles.resolve');
  const inner = defineBundle({ name: 'inner', description: '', required: ['b'], optional: ['c'] });
  const outer = defineBundle({ name: 'outer', description: '', required: ['a'], optional: ['b'], bundles: [inner] });
  const resolved = await resolveBundle(create('a', 'c'), outer);
  expect([resolved.tools.names(), resolved.missingRequired, resolved.missingOptional]).toEqual([['a', 'c'], ['b'], []]);
  const circle: { -readonly [K in keyof ToolBundle]: ToolBundle[K] } = {
    name: 'c',
    description: '',
    required: [],
    optional: [],
  };
  circle.bundles = [circle];
  expect(caught(() => defineBundle(circle)).message).toContain('contains itself');
});

test('the bundles for code and blog agents name their tools', () => {
  verifies('tools.bundles.builtin');
  expect(CODE_AGENT.name).toBe('code_agent');
  expect(CODE_AGENT.required).toContain('edit_file');
  expect(BLOG_AGENT.name).toBe('blog_agent');
  expect(BLOG_AGENT.required).toEqual([]);
});
