import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes a tree of files into a new folder, which is removed after the test. Returns the folder. */
export function tree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'tidy-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

/** As `tree`, with a tsconfig that covers all of its declarations. */
export function declarations(files: Readonly<Record<string, string>>): { root: string; tsconfig: string } {
  const compilerOptions = { module: 'nodenext', strict: true, noEmit: true, types: [] };
  const root = tree({ 'tsconfig.json': JSON.stringify({ compilerOptions, include: ['**/*.d.ts'] }), ...files });
  symlinkSync(resolve(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'));
  return { root, tsconfig: join(root, 'tsconfig.json') };
}

/** A git repository with these files in its one commit. */
export function committed(files: Readonly<Record<string, string>>): string {
  const root = tree(files);
  const git = (...args: readonly string[]): unknown =>
    execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { stdio: 'pipe' });
  git('init', '-q');
  git('add', '--all');
  git('commit', '-qm', 'one');
  return root;
}
