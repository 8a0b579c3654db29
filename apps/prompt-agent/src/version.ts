import { createRequire } from 'node:module';

/** Returns the version of the program. */
export function version(): string {
  // Found from each folder that the code may be in: the sources, the bundle and its chunks.
  const require = createRequire(import.meta.url);
  const manifest: unknown = require('@kernel/prompt-agent/package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
