import { readFileSync, writeFileSync } from 'node:fs';
import type { EditorFiles } from '../../src/workspace/index.ts';

/** An editor: a file that somebody typed in shows what was typed until it is saved, any other one what is on disk. */
export function fakeEditor({ keepsReturns = true }: { readonly keepsReturns?: boolean } = {}) {
  const typed = new Map<string, string>();
  const calls: string[] = [];
  const normal = (text: string): string => (keepsReturns ? text : text.replaceAll('\r\n', '\n'));
  const files: Required<EditorFiles> = {
    readText: async (path) => {
      calls.push(`read ${path}`);
      return typed.get(path) ?? normal(readFileSync(path, 'utf8'));
    },
    writeText: async (path, text) => {
      calls.push(`write ${path}`);
      typed.delete(path);
      // One that shows no returns writes them again where they were.
      const hasReturns = !keepsReturns && readFileSync(path, 'utf8').includes('\r\n');
      writeFileSync(path, hasReturns ? normal(text).replaceAll('\n', '\r\n') : normal(text));
    },
  };
  return { files, calls, type: (path: string, text: string) => void typed.set(path, text) };
}
