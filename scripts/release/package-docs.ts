/** The documents that a package carries besides its README: its guides, its API, the error codes, and an index of all of it for language models. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize, posix } from 'node:path';
import { apiPagesOf } from '../lib/api-pages.ts';
import { linksOf, replaceLinks } from '../lib/links.ts';
import { publishedFolders, readManifest } from '../lib/projects.ts';
import { systemProgram } from '../lib/system-program.ts';

const GUIDES = 'docs/guides/';
const ERRORS = 'docs/errors.md';

/** The guides of a package: those that its README links to, relative to the root, sorted. */
export function guidesOf(root: string, folder: string): readonly string[] {
  return guidesIn(folder, readFileSync(join(root, folder, 'README.md'), 'utf8'));
}

function guidesIn(folder: string, readme: string): readonly string[] {
  const linked = linksOf(readme).map(({ target }) => posix.normalize(`${folder}/${target}`));
  return [...new Set(linked.filter((file) => file.startsWith(GUIDES)))].toSorted();
}

/** The guides that no package carries, relative to the root. */
export function guidesOfNoPackage(root: string): readonly string[] {
  const carried = new Set(publishedFolders(root).flatMap((folder) => guidesOf(root, folder)));
  return globSync(`${GUIDES}*.md`, { cwd: root }).filter(
    (file) => basename(file) !== 'README.md' && !carried.has(file),
  );
}

/** Returns the README for the tarball of a package: links lead to files in the tarball, or become plain text. */
export function packedReadme(root: string, folder: string, text: string): string {
  return asPacked(text, `${folder}/README.md`, placesOf(folder, guidesOf(root, folder)));
}

/** Replaces the README of a package by the one for its tarball, until `restoreReadme`. */
export function writePackedReadme(root: string, folder: string): void {
  const file = join(root, folder, 'README.md');
  writeFileSync(file, packedReadme(root, folder, readFileSync(file, 'utf8')));
}

/** Writes the committed README of a package back where it is the one for its tarball. Leaves any other change alone. */
export function restoreReadme(root: string, folder: string): void {
  const path = `${folder}/README.md`;
  const committed = execFileSync(systemProgram('git'), ['-C', root, 'show', `HEAD:${path}`], { encoding: 'utf8' });
  const packed = asPacked(committed, path, placesOf(folder, guidesIn(folder, committed)));
  const now = readFileSync(join(root, path), 'utf8');
  if (now === packed && now !== committed)
    execFileSync(systemProgram('git'), ['-C', root, 'checkout', '--quiet', 'HEAD', '--', path]);
}

/** Maps a file of the repository to its place in the tarball of a package, if it has one. Documents have, and so do sources, which code maps link to. */
type PlaceOf = (path: string) => string | undefined;

function placesOf(folder: string, files: readonly string[]): PlaceOf {
  const places = new Map([
    [`${folder}/README.md`, 'README.md'],
    [folder, 'README.md'],
    [`${folder}/LICENSE`, 'LICENSE'],
    [ERRORS, 'errors.md'],
    ...files.map((file): [string, string] => [file, file]),
  ]);
  const sources = `${folder}/src`;
  const isSource = (path: string): boolean => path === sources || path.startsWith(`${sources}/`);
  return (path) => places.get(path) ?? (isSource(path) ? path.slice(folder.length + 1) : undefined);
}

/** Returns the documents of a package besides its README, by their paths in the tarball. Its API pages are among them once they were generated. */
export function packageDocs(root: string, folder: string): ReadonlyMap<string, string> {
  const pages = apiPagesOf(root, folder).filter((file) => existsSync(join(root, file)));
  const files = [...guidesOf(root, folder), ...pages];
  const places = placesOf(folder, files);
  const docs = new Map<string, string>();
  for (const file of [ERRORS, ...files])
    docs.set(places(file) ?? file, asPacked(readFileSync(join(root, file), 'utf8'), file, places));
  docs.set('llms.txt', indexOf(root, folder, files));
  return docs;
}

/** Writes them into the folder of the package, where git ignores them, and removes those of an earlier state. Other processes may read them meanwhile. */
export function writePackageDocs(root: string, folder: string): void {
  const docs = packageDocs(root, folder);
  for (const old of globSync('docs/{guides,api}/*.md', { cwd: join(root, folder) }))
    if (!docs.has(normalize(old).replaceAll('\\', '/'))) rmSync(join(root, folder, old), { force: true });
  for (const [path, text] of docs) {
    const file = join(root, folder, path);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.${process.pid}`, text);
    renameSync(`${file}.${process.pid}`, file);
  }
}

/** A document of the repository as a tarball has it: links lead to what the tarball holds, or are plain text. */
function asPacked(text: string, file: string, placeOf: PlaceOf): string {
  const from = posix.dirname(placeOf(file) ?? file);
  return replaceLinks(text.replaceAll(/^<!-- snippet: .* -->\n+/gm, ''), ({ label, target, anchor }) => {
    const place = placeOf(posix.normalize(posix.join(posix.dirname(file), target)).replace(/\/$/, ''));
    return place === undefined ? label : `[${label}](${posix.relative(from, place)}${anchor})`;
  });
}

/** An index in the form of llms.txt: what the package is, its entry points with what they export, and its documents. */
function indexOf(root: string, folder: string, files: readonly string[]): string {
  const { name, description = '' } = readManifest(root, folder) as { name: string; description?: string };
  const documents = [
    '- [README](README.md): what it is for, an example, its entry points',
    ...files.map((file) => `- [${titleOf(root, file)}](${file})`),
    '- [Error codes](errors.md): every code, who gets it, when, and what to do',
    ...(existsSync(join(root, folder, 'CHANGELOG.md')) ? ['- [Changes](CHANGELOG.md)'] : []),
  ];
  const entries = entryLines(name, readFileSync(join(root, folder, 'api.txt'), 'utf8'));
  return [
    `# ${name}`,
    `> ${description}`,
    ...(entries.length === 0 ? [] : ['## Entry points', entries.join('\n')]),
    '## Documents',
    documents.join('\n'),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function entryLines(name: string, surface: string): readonly string[] {
  return surface
    .split(/^# /m)
    .slice(1)
    .map((section) => {
      const subpath = section.slice(0, section.indexOf('\n'));
      const names = [...section.matchAll(/^## (\S+)$/gm)].map(([, each]) => `\`${each}\``);
      return `- \`${name}${subpath.slice(1)}\`: ${names.join(', ')}`;
    });
}

function titleOf(root: string, file: string): string {
  return /^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? basename(file, '.md');
}
