/** The sidebar of the site, made from the index of the documents, `docs/README.md`. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { apiPageOf, entriesWithPage } from '../lib/api-pages.ts';
import { linksOf } from '../lib/links.ts';
import { publishedFolders, readManifest } from '../lib/projects.ts';
import { pageOf } from './collect-pages.ts';

/** A heading with the links below it. */
export interface Group {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/** Returns a group for the packages and one for each heading of the index that has a list of links. */
export function sidebar(root: string): readonly Group[] {
  const sections = readFileSync(join(root, 'docs/README.md'), 'utf8').split(/^## /m).slice(1);
  const groups = sections.map((section): Group => {
    const list = section
      .split('\n')
      .filter((line) => line.startsWith('- '))
      .join('\n');
    const items = linksOf(list).map(({ label, target }) => ({ text: label, link: linkTo(posix.join('docs', target)) }));
    return { text: section.slice(0, section.indexOf('\n')), collapsed: false, items };
  });
  const packages = publishedFolders(root).map((folder) => ({
    text: readManifest(root, folder).name.replace('@kernel/', ''),
    link: linkTo(`${folder}/README.md`),
  }));
  const start = {
    text: 'Introduction',
    collapsed: false,
    items: [
      { text: 'Overview', link: '/' },
      { text: 'Which package do I need?', link: '/documents' },
    ],
  };
  return [
    start,
    { text: 'Packages', collapsed: false, items: packages },
    ...groups.filter(({ items }) => items.length > 0),
  ];
}

/** Returns the pages of the API reference, grouped by package. */
export function apiSidebar(root: string): readonly Group[] {
  const groups = publishedFolders(root).map((folder): Group => {
    const name = folder.slice(folder.indexOf('/') + 1);
    const items = entriesWithPage(root, folder).map((subpath) => ({
      text: `${name}${subpath.slice(1)}`,
      link: `/api/${apiPageOf(folder, subpath)}`,
    }));
    return { text: name, collapsed: items.length > 4, items };
  });
  const top = {
    text: 'API reference',
    collapsed: false,
    items: [
      { text: 'All entry points', link: '/api/' },
      { text: 'All documents', link: '/documents' },
    ],
  };
  return [top, ...groups.filter(({ items }) => items.length > 0)];
}

function linkTo(file: string): string {
  return `/${pageOf(posix.normalize(file)).replace(/(?:^|(?<=\/))index\.md$|\.md$/, '')}`;
}
