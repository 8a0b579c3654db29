export { decodeFile } from './text-file.ts';
export { findFiles } from './find-files.ts';
export type { FindFilesOptions } from './find-files.ts';
export * from './file-tools.ts';
export { visibleFiles } from './visible-files.ts';
export type { VisibleFiles } from './visible-files.ts';
export { indexOfSequence } from './edit/find-sequence.ts';
export { parsePatch } from './patch/parse-patch.ts';
export type { FilePatch } from './patch/parse-patch.ts';
