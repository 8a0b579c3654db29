/** Folders of tests: each is removed when the test file that made it has ended. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const folders: string[] = [];

/** Makes a folder with the given files, whose paths are relative to it. Returns its path without links. */
export function temporaryFolder(prefix: string, files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${prefix}-`)));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    // The clock of the process may be virtual.
    utimesSync(join(folder, path), new Date(), new Date());
  }
  return folder;
}

/** Removes all folders that were made so far. `clean-process.ts` calls it behind each test file. */
export function removeTemporaryFolders(): void {
  // A browser that has just been closed may still write.
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
