import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { manifestFaults, type PackedManifest } from '../lib/check-manifest.ts';
import { linksOf } from '../lib/links.ts';
import { targetsOf } from './tree-state.ts';

/** What every tarball has besides its code. */
const DOCUMENTS = ['README.md', 'LICENSE', 'CHANGELOG.md', 'errors.md', 'llms.txt'];

/**
 * What is wrong with a package as it would be published, unpacked into `folder`: a document or a file that its manifest points to is missing,
 * a link in a document leads to nothing, a condition or a file that a user cannot use came along, or its manifest has a fault. `documents` are those that it should have besides.
 */
export function tarballFaults(folder: string, documents: readonly string[]): readonly string[] {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const manifest = JSON.parse(text) as PackedManifest;
  const missing = [...DOCUMENTS, ...documents, ...targetsOf(manifest)].filter(
    (file) => !existsSync(join(folder, file)),
  );
  const unwanted = globSync(['**/*.test.ts', '**/node_modules', '**/.npmrc', '**/.env*', '*.tgz'], { cwd: folder });
  return [
    ...manifestFaults(manifest),
    ...missing.map((file) => `${manifest.name} lacks ${file}.`),
    ...deadLinks(folder).map((link) => `${manifest.name}: ${link}.`),
    ...lostSources(folder).map((source) => `${manifest.name} lacks the source ${source}.`),
    ...unwanted.map((file) => `${manifest.name} has ${file}.`),
    ...(text.includes('@kernel/source')
      ? [`${manifest.name} has the condition @kernel/source, whose files import a package that is not published.`]
      : []),
  ];
}

/** Returns the links in documents whose target is not in the folder. */
function deadLinks(folder: string): readonly string[] {
  return globSync(['README.md', 'errors.md', 'llms.txt', 'docs/**/*.md'], { cwd: folder }).flatMap((file) =>
    linksOf(readFileSync(join(folder, file), 'utf8'))
      .filter(({ target }) => !existsSync(join(folder, dirname(file), target)))
      .map(({ target }) => `${file} links to ${target}, which it does not have`),
  );
}

/** Returns the sources that a map of the code leads to and that are neither in the folder nor in the map. */
function lostSources(folder: string): readonly string[] {
  return globSync('dist/**/*.js.map', { cwd: folder }).flatMap((file) => {
    const map = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      readonly sources: readonly string[];
      readonly sourcesContent?: readonly (string | null)[];
    };
    const isThere = (source: string): boolean => existsSync(join(folder, dirname(file), source));
    return map.sources.filter((source, index) => typeof map.sourcesContent?.[index] !== 'string' && !isThere(source));
  });
}
