/**
 * Turns the waiting changesets into versions and changelogs, and keeps the public surface of this release beside each package, which the next
 * changes are compared with. The program's entry for the registry of the Agent Client Protocol gets the new version, too. What it made is committed and reviewed; the release workflow publishes it.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedFolders } from './lib/projects.ts';
import { pnpmCommand } from './lib/tarballs.ts';
import { waitingChangesets } from './release/changeset-files.ts';
import { updateRegistryEntry } from './release/registry-entry.ts';
import { RELEASED } from './rules/changesets.ts';

const root = join(import.meta.dirname, '..');
if (waitingChangesets(root).length === 0) {
  console.log('No changeset waits: nothing to version.');
} else {
  const [command, ...args] = pnpmCommand(root);
  execFileSync(join(root, 'node_modules/.bin/changeset'), ['version'], { cwd: root, stdio: 'inherit' });
  for (const folder of publishedFolders(root))
    copyFileSync(join(root, folder, 'api.txt'), join(root, folder, RELEASED));
  updateRegistryEntry(root);
  execFileSync(command, [...args, 'install', '--lockfile-only', '--prefer-offline'], { cwd: root, stdio: 'inherit' });
}
