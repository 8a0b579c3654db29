import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { publishedFolders, readManifest } from '../lib/projects.ts';

const repository = resolve(import.meta.dirname, '../..');

/** The sources of all entry points of the packages that are published. Programs are none: they have nothing but a `bin`. */
const entries = publishedFolders(repository).flatMap((folder) =>
  Object.values(readManifest(repository, folder).exports ?? {}).flatMap((target) =>
    typeof target === 'object' && target !== null && '@kernel/source' in target
      ? [join(repository, folder, String(target['@kernel/source']))]
      : [],
  ),
);

test('importing any entry point of a package writes no file, opens no connection and starts no process or thread', () => {
  verifies('architecture.pure');
  expect(entries.length).toBeGreaterThan(10);
  const script = `for (const entry of ${JSON.stringify(entries)}) await import(entry);`;
  // Node's permission model denies all of it to the whole process, so that whatever is tried throws.
  const flags = ['--permission', '--allow-fs-read=*', '--conditions=@kernel/source', '--input-type=module'];
  execFileSync(process.execPath, [...flags, '--eval', script], { stdio: 'pipe' });
});
