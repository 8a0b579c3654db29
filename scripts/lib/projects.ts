import { globSync } from 'node:fs';
import { dirname } from 'node:path';

/** The folders of the workspace's packages, relative to the root, sorted. */
export function workspaceFolders(): readonly string[] {
  return globSync(['packages/*/package.json', 'apps/*/package.json', 'examples/package.json', 'test/e2e/package.json'])
    .map((file) => dirname(file))
    .toSorted();
}
