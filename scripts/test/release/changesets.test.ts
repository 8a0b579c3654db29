import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { apiChanges, keepDeprecations } from '../../lib/api-text.ts';
import { bumpFor, nextVersion, parseVersion } from '../../lib/versions.ts';
import { waitingChangesets } from '../../release/changeset-files.ts';
import { changesets, RELEASED } from '../../rules/changesets.ts';
import { deprecations } from '../../rules/deprecations.ts';
import { tree } from '../fixture-tree.ts';

const OLD =
  '# .\n\n## f\nexport declare function f(a: string): void;\n\n## O\nexport interface O {\n    readonly a: string;\n}\n';
const ADDED = `${OLD}\n# ./web\n\n## g\nexport declare const g: 1;\n`;
const OPTION = OLD.replace('a: string;\n}', 'a: string;\n    readonly b?: number | undefined;\n}');
const REQUIRED = OLD.replace('a: string;\n}', 'a: string;\n    readonly b: number;\n}');
const CHANGED = OLD.replace('(a: string)', '(a: number)');
const REMOVED = OLD.replace(/## f\n.*\n\n/, '');
const mark = (text: string, since: string, before = 'export declare function f'): string =>
  text.replace(before, `/** @deprecated since ${since} */\n${before}`);

/** A repository with package `a`, whose surface at its last release was `OLD`, and changesets by name. */
const released = (now: string, waiting: Readonly<Record<string, string>> = {}, version = '0.4.2', old = OLD) =>
  tree({
    'packages/a/package.json': JSON.stringify({ name: '@kernel/a', version }),
    [`packages/a/${RELEASED}`]: old,
    'packages/a/api.txt': now,
    'packages/b/package.json': JSON.stringify({ name: '@kernel/b', version }),
    'packages/b/api.txt': OLD,
    [`packages/b/${RELEASED}`]: OLD,
    ...Object.fromEntries(Object.entries(waiting).map(([name, text]) => [`.changeset/${name}.md`, text])),
  });
const changeset = (name: string, bump: string, text = 'What happened.') => `---\n'${name}': ${bump}\n---\n\n${text}\n`;

describe('a changed public surface', () => {
  test.each([
    ['a new export', ADDED, 'added'],
    ['a new optional member', OPTION, 'added'],
    ['a new required member', REQUIRED, 'changed'],
    ['another parameter', CHANGED, 'changed'],
    ['a missing export', REMOVED, 'removed'],
  ])('with %s', (_name, now, kind) => {
    verifies('release.changeSize');
    expect(apiChanges(OLD, OLD)).toEqual([]);
    expect(apiChanges(OLD, now)).toEqual([expect.objectContaining({ kind })]);
  });

  test.each([
    ['an addition', ADDED, '0.4.2', 'patch'],
    ['a break', CHANGED, '0.4.2', 'minor'],
    ['an addition', ADDED, '1.4.2', 'minor'],
    ['a break', CHANGED, '1.4.2', 'major'],
  ])('needs a changeset of its size: %s (%#)', (_name, now, version, needed) => {
    verifies('release.changeSize', 'release.changesets');
    expect(changesets(released(now, {}, version))).toEqual([
      expect.objectContaining({ file: 'packages/a/api.txt', message: expect.stringContaining(`size ${needed}`) }),
    ]);
    expect(changesets(released(now, { told: changeset('@kernel/a', needed) }, version))).toEqual([]);
    const smaller = { major: 'minor', minor: 'patch', patch: 'none' }[needed] ?? 'none';
    expect(changesets(released(now, { told: changeset('@kernel/a', smaller) }, version))).toHaveLength(1);
  });

  test('needs it for its own package, whatever another package says', () => {
    verifies('release.changeSize');
    const other = { told: changeset('@kernel/b', 'minor') };
    expect(changesets(released(CHANGED, other))).toEqual([
      expect.objectContaining({ message: expect.stringContaining('@kernel/a needs a changeset') }),
    ]);
  });

  test('names what is gone', () => {
    verifies('release.changeSize');
    const gone = (text: string) =>
      changesets(released(REMOVED, { told: changeset('@kernel/a', 'minor', text) }, '0.4.2', mark(OLD, '0.4.0')));
    expect(gone('It is fast.')).toEqual([
      expect.objectContaining({ message: expect.stringContaining('. f is gone and no changeset') }),
    ]);
    expect(gone('`f` is gone.')).toEqual([]);
  });

  test('removes only what the last release had deprecated', () => {
    verifies('release.deprecations');
    const told = { told: changeset('@kernel/a', 'minor', '`f` is gone.') };
    expect(changesets(released(REMOVED, told))).toEqual([
      expect.objectContaining({ message: expect.stringContaining('no release has deprecated it') }),
    ]);
    const other = mark(OLD, '0.4.0', '    readonly a: string');
    expect(changesets(released(REMOVED, told, '0.4.2', other))).toHaveLength(1);
    expect(changesets(released(REMOVED, told, '0.4.2', mark(OLD, '0.4.0')))).toEqual([]);
  });

  test('that only deprecates counts as an addition', () => {
    verifies('release.deprecations');
    for (const now of [mark(OLD, '0.5.0'), mark(OLD, '0.5.0', '    readonly a: string')])
      expect(apiChanges(OLD, now)).toEqual([expect.objectContaining({ kind: 'added' })]);
    expect(keepDeprecations('/** Old.\n * @deprecated since 0.5.0: use g. */\n/** More. */\nconst f: 1;')).toBe(
      '/** @deprecated since 0.5.0 */\nconst f: 1;',
    );
  });

  test('of a package that was never released needs a changeset of any size', () => {
    verifies('release.changesets');
    const files = {
      'packages/a/package.json': '{"name":"@kernel/a","version":"0.0.0"}',
      'packages/a/api.txt': OLD,
    };
    expect(changesets(tree(files))).toHaveLength(1);
    expect(changesets(tree({ ...files, '.changeset/x.md': changeset('@kernel/a', 'patch') }))).toEqual([]);
  });
});

test.each([
  ['without a text', changeset('@kernel/a', 'minor', ''), 'says nothing'],
  ['for a package that is not published', changeset('@kernel/nosuch', 'minor'), 'no published package'],
  ['that would release 1.0.0', changeset('@kernel/a', 'major'), 'before 1.0.0, a breaking change is minor'],
])('a changeset %s is refused', (_name, text, message) => {
  verifies('release.changesets');
  expect(changesets(released(OLD, { told: text }))).toEqual([
    expect.objectContaining({ file: '.changeset/told.md', message: expect.stringContaining(message) }),
  ]);
  expect(changesets(released(OLD, { told: changeset('@kernel/a', "'minor'") }))).toEqual([]);
  expect(changesets(released(OLD, { told: changeset('@kernel/a', 'major') }, '1.2.0'))).toEqual([]);
  expect(changesets(released(OLD, { told: changeset('@kernel/a', 'major', 'This is 1.0.0.') }))).toEqual([]);
});

test('a quoted size in a changeset counts', () => {
  verifies('release.changesets');
  expect(changesets(released(CHANGED, { told: changeset('@kernel/a', '"minor"') }))).toEqual([]);
});

test('the changesets of this repository are read, each with its packages', () => {
  verifies('release.changesets');
  const waiting = waitingChangesets(resolve(import.meta.dirname, '../../..'));
  expect(waiting.filter(({ bumps }) => bumps.size === 0)).toEqual([]);
});

test('a version is what its changes make of the last one', () => {
  verifies('release.changeSize');
  expect(nextVersion(parseVersion('0.4.2'), bumpFor([0, 4, 2], true))).toEqual([0, 5, 0]);
  expect(nextVersion(parseVersion('0.4.2'), bumpFor([0, 4, 2], false))).toEqual([0, 4, 3]);
  expect(nextVersion(parseVersion('1.4.2'), bumpFor([1, 4, 2], true))).toEqual([2, 0, 0]);
  expect(nextVersion(parseVersion('1.4.2'), 'none')).toEqual([1, 4, 2]);
  expect(() => parseVersion('1.2')).toThrow('"1.2" is not a version');
});

describe('a deprecated export', () => {
  const deprecated = (tag: string, version: string, bump = 'none') =>
    deprecations(
      tree({
        'packages/a/package.json': JSON.stringify({ name: '@kernel/a', version }),
        'packages/a/src/index.ts': `/**\n * Old.\n * ${tag}\n */\nexport const old = 1;\n`,
        '.changeset/x.md': changeset('@kernel/a', bump),
      }),
    ).map(({ line, message }) => `${line}: ${message}`);

  test.each([
    ['in the release that announces it', '0.3.1', 'minor'],
    ['in a later patch of that minor', '0.4.6', 'patch'],
  ])('is kept %s', (_name, version, bump) => {
    verifies('release.deprecations');
    expect(deprecated('@deprecated since 0.4.0: use `young`.', version, bump)).toEqual([]);
  });

  test.each([
    ['in the next minor', '@deprecated since 0.4.0: use `young`.', '0.4.6', 'minor', 'remove it'],
    ['two minors later', '@deprecated since 0.4.0: use `young`.', '0.6.0', 'none', 'remove it'],
    ['before the minor that announces it', '@deprecated since 0.4.0: use `young`.', '0.3.1', 'patch', 'announced in'],
    ['without a version', '@deprecated Use `young`.', '0.4.0', 'none', 'write "@deprecated since'],
    ['since a patch', '@deprecated since 0.4.1: use `young`.', '0.4.1', 'none', 'write "@deprecated since'],
    ['in the next major', '@deprecated since 1.4.0: use `young`.', '1.9.0', 'major', 'remove it'],
  ])('is refused %s', (_name, tag, version, bump, message) => {
    verifies('release.deprecations');
    expect(deprecated(tag, version, bump)).toEqual([expect.stringMatching(`^3: .*${message}`)]);
  });
});

test('a deprecation that the last release does not have names the next release', () => {
  verifies('release.deprecations');
  const told = { told: changeset('@kernel/a', 'minor') };
  for (const before of ['export declare function f', '    readonly a: string']) {
    const now = (since: string): string => mark(OLD, since, before);
    expect(deprecations(released(now('0.5.0'), told))).toEqual([]);
    expect(deprecations(released(now('0.4.0'), told, '0.4.2', now('0.4.0')))).toEqual([]);
    expect(deprecations(released(now('0.4.0'), told))).toEqual([
      expect.objectContaining({ message: expect.stringContaining('the next one is 0.5.0') }),
    ]);
  }
});

test('what counts as breaking is written down, and contributors are sent there', () => {
  verifies('release.changeSize');
  const root = resolve(import.meta.dirname, '../../..');
  const text = readFileSync(join(root, 'docs/versioning.md'), 'utf8');
  for (const heading of ['What breaks programs', 'Changes are told', 'Deprecations'])
    expect(text).toContain(`## ${heading}\n`);
  expect(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')).toContain('](docs/versioning.md)');
});
