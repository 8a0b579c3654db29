/** Copies the documents of the repository into the source folder of the site, and adapts their links. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { replaceLinks } from '../lib/links.ts';

const DOCUMENTS = ['*.md', 'docs/**/*.md', 'packages/*/README.md', 'apps/*/README.md', 'bench/README.md'];
const SKIPPED = new Set(['AGENTS.md']);

/** Writes all pages and their pictures into `folder`, emptying it first. Returns the paths of the pages. */
export function collectPages(root: string, folder: string): readonly string[] {
  rmSync(folder, { recursive: true, force: true });
  const files = globSync(DOCUMENTS, { cwd: root }).map((file) => file.split(sep).join('/'));
  const pages = new Map(files.filter((file) => !SKIPPED.has(file)).map((file) => [file, pageOf(file)]));
  for (const [file, page] of pages) {
    const target = join(folder, page);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, asPage(root, readFileSync(join(root, file), 'utf8'), file, pages));
  }
  cpSync(join(root, 'docs/pictures'), join(folder, 'pictures'), { recursive: true });
  return [...pages.values()].toSorted();
}

/** Returns the path of a document on the site: a README becomes the index of its folder, and `docs/` is dropped. */
export function pageOf(file: string): string {
  if (file === 'README.md') return 'index.md';
  if (file === 'docs/README.md') return 'documents.md';
  return file
    .replace(/^docs\//, '')
    .replace(/^apps\//, 'packages/')
    .replace(/^(packages\/[^/]+|bench)\/README\.md$/, '$1.md')
    .replace(/README\.md$/, 'index.md');
}

/** Returns a document as a page: links lead to pages; a link to anything else, such as a source file, becomes plain text. */
function asPage(root: string, text: string, file: string, pages: ReadonlyMap<string, string>): string {
  const from = posix.dirname(pageOf(file));
  const linked = replaceLinks(text.replaceAll(/^<!-- .* -->\n+/gm, ''), ({ picture, label, target, anchor }) => {
    const path = posix.normalize(posix.join(posix.dirname(file), target)).replace(/\/$/, '');
    if (picture) return `![${label}](${relativePath(from, path.replace(/^docs\//, ''))})`;
    const page =
      pages.get(path) ?? pages.get(`${path}/README.md`) ?? pages.get(path === 'docs/guides' ? 'docs/README.md' : '');
    if (page !== undefined) return `[${label}](${relativePath(from, page)}${anchor})`;
    if (existsSync(join(root, path))) return label;
    throw new Error(`${file} links to ${target}, which does not exist.`);
  });
  // Vue would evaluate these.
  return linked.replaceAll('{{', '&#123;&#123;');
}

function relativePath(from: string, target: string): string {
  const path = posix.relative(from, target);
  return path.startsWith('.') ? path : `./${path}`;
}
