import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { readTestReports } from '../lib/test-reports.ts';
import { totalsOf } from '../lib/totals.ts';
import { requirements } from '../rules/requirements.ts';
import { tree } from './fixture-tree.ts';

const repository = resolve(import.meta.dirname, '../..');

/** A list of MUST rows. */
const list = (...ids: readonly string[]) =>
  `## a\n\n| id | what | from |\n|---|---|---|\n${ids.map((id) => `| a.${id} | MUST: x | + |\n`).join('')}| a.goal | SHOULD: y | + |\n`;

/** A report as vitest writes it. */
const report = (
  ...tests: readonly { title: string; status: string; meta?: Readonly<Record<string, unknown>> }[]
): string =>
  JSON.stringify({
    testResults: [
      {
        name: 'ROOT/packages/demo/test/a.test.ts',
        status: 'passed',
        message: '',
        assertionResults: tests.map(({ title, status, meta = {} }) => ({ fullName: ` ${title}`, status, meta })),
      },
    ],
  });

/** A tree with a list and a report of the first tier; in the second, one test passed. */
function demo(text: string, ...rows: readonly string[]): string {
  const root = tree({ 'docs/requirements/demo.md': list(...rows) });
  const second = report({ title: 'passes too', status: 'passed' });
  mkdirSync(join(root, 'node_modules/.cache/tests'), { recursive: true });
  for (const [tier, content] of Object.entries({ first: text, second }))
    writeFileSync(join(root, `node_modules/.cache/tests/${tier}.json`), content.replaceAll('ROOT', root));
  return root;
}

const messages = (root: string, complete = true) => requirements(root, { complete }).problems.map((one) => one.message);

test('a row is proven by a test that ran and passed, not by a comment, a string or a test that was skipped or failed', async () => {
  verifies('architecture.proofs');
  const source = (name: string) => JSON.stringify(join(repository, name));
  const root = tree({
    'docs/requirements/demo.md': list(
      'passed',
      'comment',
      'string',
      'skipped',
      'conditional',
      'todo',
      'failed',
      'unreached',
    ),
    'vitest.config.ts': `export default { test: { include: ['packages/**/*.test.ts'], setupFiles: [${source('test/setup/citations.ts')}] } };`,
    'packages/demo/test/a.test.ts': `
      import { expect, test } from 'vitest';
      import { verifies } from ${source('packages/testing/src/verifies.ts')};
      test('passes', () => { verifies('a.passed'); expect(1).toBe(1); });
      // verifies('a.comment')
      test('names it in a string', () => { expect("verifies('a.string')").toContain('a.string'); });
      test.skip('is skipped', () => { verifies('a.skipped'); });
      test.skipIf(true)('is skipped here', () => { verifies('a.conditional'); });
      test.todo('verifies(a.todo)');
      test('fails', () => { verifies('a.failed'); expect(1).toBe(2); });
      test('ends early', () => { if (Date.now() > 0) return; verifies('a.unreached'); });
    `,
  });
  writeFileSync(
    join(root, 'packages/demo/test/b.test.ts'),
    `import { test } from 'vitest';
     import { verifies } from ${source('packages/testing/src/verifies.ts')};
     verifies('a.outside');
     test('passes', () => {});`,
  );
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(join(repository, 'node_modules/vitest'), join(root, 'node_modules/vitest'));
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs');
  const args = ['run', '--reporter=json', '--outputFile=node_modules/.cache/tests/second.json'];
  await promisify(execFile)(process.execPath, [vitest, ...args], {
    cwd: root,
    env: { ...process.env, HOME: root },
  }).catch(() => undefined);
  expect(messages(root, false)).toEqual([]);
  const first = report({ title: 'x', status: 'passed' });
  writeFileSync(join(root, 'node_modules/.cache/tests/first.json'), first);
  expect(messages(root)).toEqual([
    '"a.comment" is a MUST, and no test that ran cites it.',
    '"a.string" is a MUST, and no test that ran cites it.',
    '"a.skipped" is a MUST, and no test that ran cites it.',
    '"a.conditional" is a MUST, and no test that ran cites it.',
    '"a.todo" is a MUST, and no test that ran cites it.',
    '"a.failed" is a MUST, and the test that cites it is failed: fails.',
    '"a.unreached" is a MUST, and no test that ran cites it.',
  ]);
  expect(readTestReports(root).tests.filter(({ file }) => file.endsWith('b.test.ts'))).toMatchObject([
    { status: 'failed', name: expect.stringContaining("verifies('a.outside') runs outside a test") },
  ]);
});

describe('the list of requirements', () => {
  test('refuses a citation of no row, with the near one', () => {
    const cites = { title: 'x', status: 'passed', meta: { verifies: ['a.must', 'a.mutst'] } };
    expect(requirements(demo(report(cites), 'must'), { complete: true }).problems).toEqual([
      {
        rule: 'requirements',
        file: 'packages/demo/test/a.test.ts',
        message: 'cites "a.mutst", which is in no list of docs/requirements. Did you mean "a.must"?',
      },
    ]);
  });

  test('must be there, with each id once', () => {
    expect(messages(tree({}))).toEqual(['the lists are missing.']);
    const passes = { title: 'x', status: 'passed', meta: { verifies: ['a.must'] } };
    expect(messages(demo(report(passes), 'must', 'must'))).toEqual([
      '"a.must" is also in docs/requirements/demo.md, line 5.',
    ]);
  });

  test('is judged without reports only as far as possible, but in CI a missing report is a problem', () => {
    const root = tree({ 'docs/requirements/demo.md': list('must') });
    expect(requirements(root, { complete: false })).toEqual({
      problems: [],
      notes: [
        '1 rows cannot be judged without a test report of the first tier, the second tier (run `pnpm test:all`): a.must',
      ],
    });
    expect(messages(root)).toEqual([
      'the first tier left no test report. Run `pnpm test:all` first.',
      'the second tier left no test report. Run `pnpm test:all` first.',
      '"a.must" is a MUST, and no test that ran cites it.',
    ]);
  });

  test('names a row that only absent data can prove', () => {
    const meta = { missingData: '/shared/data/x', unproven: ['a.must'] };
    const passes = { title: 'y', status: 'passed' };
    const verdict = requirements(demo(report({ title: 'x', status: 'skipped', meta }, passes), 'must'), {
      complete: true,
    });
    expect(verdict).toEqual({ problems: [], notes: ['"a.must" cannot be judged: /shared/data/x is absent.'] });
  });
});

describe('the totals of the tests', () => {
  const passes = { title: 'passes', status: 'passed' };
  const without = { title: 'reads x', status: 'skipped', meta: { missingData: '/shared/data/x' } };
  const totals = (text: string, isThere = false) => totalsOf(readTestReports(demo(text)), () => isThere);

  test('count and name what was skipped for absent data', () => {
    verifies('architecture.skippedTests');
    expect(totals(report(passes, without, { ...without, title: 'reads more of x' }))).toEqual({
      summary: '2 passed, 0 failed, 2 skipped',
      absent: ['2 skipped, because /shared/data/x is absent'],
      problems: [],
    });
  });

  test.each([
    ['a test that failed', { title: 'x', status: 'failed' }, false, '"x" failed.'],
    ['a test that was skipped', { title: 'x', status: 'skipped' }, false, '"x" is skipped.'],
    ['a test that is yet to be written', { title: 'x', status: 'todo' }, false, '"x" is todo.'],
    ['a test that was skipped for data that is there', without, true, 'is skipped for /shared/data/x, which is there.'],
  ])('refuse %s', (_name, other, isThere, expected) => {
    verifies('architecture.skippedTests');
    expect(totals(report(passes, other), isThere).problems).toEqual([expect.stringContaining(expected)]);
  });

  test('refuse a tier that left no report or ran no test', () => {
    expect(totalsOf(readTestReports(tree({})), () => false).problems).toEqual([
      expect.stringContaining('the first tier left no test report, or ran no test'),
      expect.stringContaining('the second tier left no test report, or ran no test'),
    ]);
    expect(totals(report(without)).problems).toEqual([expect.stringContaining('the first tier')]);
  });
});
