import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collectPages, pageOf } from '../site/collect-pages.ts';
import { apiSidebar, sidebar } from '../site/navigation.ts';
import { anchorsIn } from '../lib/anchors.ts';
import { apiPagesOf } from '../lib/api-pages.ts';
import { publishedFolders } from '../lib/projects.ts';
import { linksOf, replaceLinks } from '../lib/links.ts';
import { codeMap } from '../rules/code-map.ts';
import { guarantees } from '../rules/guarantees.ts';
import { tree } from './fixture-tree.ts';

const repository = resolve(import.meta.dirname, '../..');
describe('links', () => {
  const text =
    'See [a `[b]`](a.md#x), ![p](p.svg), [web](https://example.com) and `[no](b.md)`.\n\n```md\n[no](c.md)\n```\n';

  test('are found outside of code', () => {
    verifies('docs.site');
    expect(linksOf(text).map(({ target, anchor, picture }) => [target, anchor, picture])).toEqual([
      ['a.md', '#x', false],
      ['p.svg', '', true],
    ]);
  });

  test('are replaced, and code is left untouched', () => {
    verifies('docs.site');
    expect(replaceLinks(text, ({ label }) => label)).toBe(
      text.replace('[a `[b]`](a.md#x)', 'a `[b]`').replace('![p](p.svg)', 'p'),
    );
  });
});

test('an anchor leads to a heading, as GitHub names it, or to an id', () => {
  verifies('architecture.map');
  const text = '# Call `f()`, or [g](g.md)?\n\n## A b\n\n## A b\n\n<a id="x-1"></a>\n\n```sh\n# no heading\n```\n';
  expect([...anchorsIn(text)].toSorted()).toEqual(['a-b', 'a-b-1', 'call-f-or-g', 'x-1']);
  const root = tree({
    'docs/a.md': '# One\n\n[two](b.md#two) [one](#one) [gone](b.md#gone) [none](#none)\n',
    'docs/b.md': '# Two\n',
  });
  expect(codeMap(root).map(({ line, message }) => [line, message])).toEqual([
    [3, 'links to b.md#gone, where no heading has that name.'],
    [3, 'links to #none, where no heading has that name.'],
  ]);
});

describe('the site', () => {
  test('gives a README the place of its folder', () => {
    verifies('docs.site');
    const places = ['README.md', 'docs/README.md', 'docs/adr/README.md', 'packages/a/README.md', 'docs/guides/b.md'];
    expect(places.map(pageOf)).toEqual(['index.md', 'documents.md', 'adr/index.md', 'packages/a.md', 'guides/b.md']);
  });

  test('has links between pages, and the text of a link to anything else', () => {
    verifies('docs.site');
    const root = tree({
      'README.md': '[a](packages/a), [source](packages/a/index.ts), [guides](docs/guides) ![p](docs/pictures/p.svg)\n',
      'packages/a/README.md': '<!-- snippet: x -->\n\n[use it](../../docs/guides/b.md#c) {{ x }}\n',
      'packages/a/index.ts': '',
      'docs/README.md': '# Documents\n',
      'docs/guides/b.md': '[a](../../packages/a/README.md)\n',
      'docs/pictures/p.svg': '<svg/>',
    });
    expect(collectPages(root, join(root, 'pages'))).toEqual([
      'documents.md',
      'guides/b.md',
      'index.md',
      'packages/a.md',
    ]);
    const page = (name: string): string => readFileSync(join(root, 'pages', name), 'utf8');
    expect(page('index.md')).toBe('[a](./packages/a.md), source, [guides](./documents.md) ![p](./pictures/p.svg)\n');
    expect(page('packages/a.md')).toBe('[use it](../guides/b.md#c) &#123;&#123; x }}\n');
    expect(page('guides/b.md')).toBe('[a](../packages/a.md)\n');
    writeFileSync(join(root, 'docs/guides/b.md'), '[gone](gone.md)\n');
    expect(() => collectPages(root, join(root, 'pages'))).toThrow(
      'docs/guides/b.md links to gone.md, which does not exist.',
    );
  });

  test('has every document of this repository, and a sidebar whose entries are pages', () => {
    verifies('docs.site');
    const root = tree({});
    const pages = new Set(collectPages(repository, join(root, 'pages')));
    expect(pages.size).toBeGreaterThan(100);
    const pagesOfApi = publishedFolders(repository).flatMap((folder) => apiPagesOf(repository, folder).map(pageOf));
    const apiLinks = new Set(
      apiSidebar(repository).flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`)),
    );
    expect(pagesOfApi.filter((page) => !apiLinks.has(page))).toEqual([]);
    const links = sidebar(repository).flatMap(({ items }) => items.map(({ link }) => link));
    const missing = links.filter((link) => !pages.has(`${link.slice(1)}.md`) && !pages.has(`${link.slice(1)}index.md`));
    expect(missing).toEqual([]);
    const guides = [...pages].filter((page) => page.startsWith('guides/'));
    expect(guides.filter((page) => !links.includes(`/${page.slice(0, -3)}`))).toEqual([]);
  });
});

describe('guarantees', () => {
  const rows = '| promise | figure | test |\n|---|---|---|\n';
  const files = {
    'docs/requirements/a.md': '| id | what |\n|---|---|\n| a.b | MUST: hold |\n| a.c | MUST: hold too |\n',
    'packages/a/test/a.test.ts': "verifies('a.b');",
  };
  const check = (row: string): readonly string[] =>
    guarantees(tree({ ...files, 'docs/guarantees.md': rows + row })).map(({ message }) => message);

  test('name a test and a requirement that it cites', () => {
    verifies('docs.guarantees');
    expect(check('| Never hangs | 50 ms | [a](../packages/a/test/a.test.ts): `a.b` |\n')).toEqual([]);
    expect(guarantees(repository)).toEqual([]);
  });

  test.each([
    ['no test', '| Never hangs | | `a.b` |', 'a promise must name a test file and a requirement.'],
    [
      'no requirement',
      '| x | | [a](../packages/a/test/a.test.ts) |',
      'a promise must name a test file and a requirement.',
    ],
    [
      'a test that is gone',
      '| x | | [b](../packages/a/test/b.test.ts): `a.b` |',
      'a promise must name a test file and a requirement.',
    ],
    [
      'a requirement that is not in the list',
      '| x | | [a](../packages/a/test/a.test.ts): `a.d` |',
      '"a.d" is not a row of docs/requirements.',
    ],
    [
      'a test that proves something else',
      '| x | | [a](../packages/a/test/a.test.ts): `a.c` |',
      'packages/a/test/a.test.ts does not cite "a.c".',
    ],
    [
      'a command for a file that is gone',
      'vitest run packages/a/test/b.test.ts',
      'packages/a/test/b.test.ts does not exist.',
    ],
  ])('with %s are refused', (_name, row, message) => {
    verifies('docs.guarantees');
    expect(check(`${row}\n`)).toEqual([message]);
  });
});

test('the index leads to every document, and that of the decision records to every record', () => {
  verifies('docs.site');
  const linked = (file: string): readonly string[] =>
    linksOf(readFileSync(join(repository, file), 'utf8')).map(({ target }) => target);
  const documents = globSync(['*.md', 'guides/*.md', '*/README.md'], { cwd: join(repository, 'docs') });
  // The API reference is generated.
  const unlinked = documents.filter(
    (file) => !['README.md', 'api/README.md', ...linked('docs/README.md')].includes(file),
  );
  expect(unlinked).toEqual([]);
  const records = globSync('0*.md', { cwd: join(repository, 'docs/adr') }).toSorted();
  expect(linked('docs/adr/README.md').toSorted()).toEqual(records);
});
