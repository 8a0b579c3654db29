import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { OFFLINE, OPENAI } from '../../release/bundle-readme.ts';
import { readmeProgram } from '../../release/check-together.ts';
import { loopbackDestination, loopbackUrl, publicDestination } from '../../release/publish.ts';
import { runAll } from '../../release/shell.ts';
import { tree } from '../fixture-tree.ts';

// The rehearsal itself needs the npm registry for the packages of others, and minutes; CI runs it. Here: that it goes nowhere else.
const root = resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

test.each([
  'https://127.0.0.1:4873/',
  'http://127.0.0.1.example.com/',
  'http://127.0.0.1@example.com/',
  'http://user:secret@127.0.0.1:4873/',
  'http://localhost:4873/',
  'http://[::1]:4873/',
  'http://example.com/',
  'http://10.0.0.1/',
  '//127.0.0.1/',
  '',
])('a rehearsal does not publish to "%s"', (registry) => {
  verifies('release.rehearsal');
  expect(() => loopbackUrl(registry)).toThrow('Refusing to publish');
});

test('a rehearsal publishes to 127.0.0.1 with an npm configuration of its own, which is thrown away', () => {
  verifies('release.rehearsal');
  const folder = tree({});
  const { args, isPublic } = loopbackDestination('http://127.0.0.1:4873', folder);
  expect(isPublic).toBe(false);
  expect(args).toEqual([
    `--userconfig=${join(folder, 'npmrc')}`,
    '--registry=http://127.0.0.1:4873/',
    '--@kernel:registry=http://127.0.0.1:4873/',
    '--provenance=false',
    '--noproxy=127.0.0.1',
  ]);
  const config = readFileSync(join(folder, 'npmrc'), 'utf8');
  expect(config).toBe('@kernel:registry=http://127.0.0.1:4873/\n//127.0.0.1:4873/:_authToken=rehearsal\n');
});

test('a release is refused where npm cannot make its provenance', () => {
  verifies('release.rehearsal');
  expect(() => publicDestination({})).toThrow('pnpm rehearse');
  const { args } = publicDestination({ ACTIONS_ID_TOKEN_REQUEST_URL: 'https://example.com' });
  expect(args).toEqual(['--provenance']);
});

test('the rehearsal is part of CI, on one Node in .ci/run and on each in a job of its own, with a pinned registry, the oldest supported Node and Node 24', () => {
  verifies('release.rehearsal');
  expect(read('.ci/run')).toMatch(/^ *\$PNPM run rehearse --short$/m);
  expect(read('.github/workflows/ci.yml')).toMatch(/pnpm@[\d.]+ rehearse$/m);
  const { dependencies, optionalDependencies: nodes } = JSON.parse(read('scripts/rehearsal/package.json')) as Readonly<
    Record<'dependencies' | 'optionalDependencies', Record<string, string>>
  >;
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  expect(nodes['node22']).toBe(`npm:node@${engines.node.replace('>=', '')}.0`);
  expect(nodes['node24']).toMatch(/^npm:node@24\.\d+\.\d+$/);
  expect(dependencies['verdaccio']).toMatch(/^\d+\.\d+\.\d+$/);
  for (const folder of ['scripts/rehearsal', 'scripts/rehearsal/bundlers'])
    expect(read(`${folder}/package-lock.json`)).not.toContain('"resolved"');
});

test('work is done at most so many at once, and every failure is kept', async () => {
  verifies('release.rehearsal');
  let [running, most] = [0, 0];
  const job = (fails: boolean) => async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolveLater) => setImmediate(resolveLater));
    running -= 1;
    if (fails) throw new Error('failed');
  };
  const failures = await runAll([job(true), job(false), job(true), job(false), job(false)], 2);
  expect(failures).toEqual([new Error('failed'), new Error('failed')]);
  expect(most).toBe(2);
});

test('the program of README.md has the line that the rehearsal replaces to build it with a model', () => {
  verifies('release.bundlers');
  const program = readmeProgram(root);
  expect(program).toContain(OFFLINE);
  expect(program.replace(OFFLINE, OPENAI)).toContain("createProvider({ name: 'openai'");
});
