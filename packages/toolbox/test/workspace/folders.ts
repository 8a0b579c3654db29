import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';

/** Makes a folder with files for one test. */
export const folderWith = (files: Readonly<Record<string, string | Uint8Array>> = {}): string =>
  temporaryFolder('toolbox', files);
