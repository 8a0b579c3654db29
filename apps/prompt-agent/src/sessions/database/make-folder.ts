import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder, and those above it, with mode 0700. Node's own way tries for ever where the system answers ENOENT for a new folder, as below `/proc`. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
