import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from '../lib/projects.ts';

const FOLDER = 'apps/prompt-agent';

/** Writes the version of the program into its entry for the registry of the Agent Client Protocol, which takes no `latest`. The rest stays as it is. */
export function updateRegistryEntry(root: string): void {
  const file = join(root, FOLDER, 'acp-registry/agent.json');
  const { name, version } = readManifest(root, FOLDER) as { readonly name: string; readonly version: string };
  const text = readFileSync(file, 'utf8')
    .replace(/(?<="version": ")[^"]*/, version)
    .replace(/(?<="package": ")[^"]*/, `${name}@${version}`);
  writeFileSync(file, text);
}
