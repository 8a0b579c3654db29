import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemProgram } from '../lib/system-program.ts';

/** The files that differ from the last commit, those included that git does not know; ignored ones are not. Throws outside of a git checkout. */
export function changedFiles(root: string): readonly string[] {
  const status = execFileSync(systemProgram('git'), ['-C', root, 'status', '--porcelain', '--untracked-files=all'], {
    encoding: 'utf8',
  });
  return status.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(3)]));
}

/** Throws with the names of the files if any differs from the last commit: a tarball holds what a commit holds. */
export function requireCleanTree(root: string): void {
  const changed = changedFiles(root);
  if (changed.length === 0) return;
  const names = changed.slice(0, 5).join(', ') + (changed.length > 5 ? `, and ${changed.length - 5} more` : '');
  throw new Error(
    `Refusing to pack: ${changed.length} files differ from the last commit (${names}). Commit or remove them first.`,
  );
}

/** The folders of a package that a tarball holds. */
const PACKED_FOLDERS = ['dist', 'docs', 'src'];

/** Removes what git ignores from the folders that a tarball of a package holds: of an earlier build, an editor or a user. */
export function removeIgnored(root: string, folder: string): void {
  const folders = PACKED_FOLDERS.map((each) => `${folder}/${each}`);
  execFileSync(systemProgram('git'), ['-C', root, 'clean', '-fdXq', '--', ...folders], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** The files that a manifest points to: in its `exports`, `imports` and `bin`, under any condition. Patterns are left out. */
export function targetsOf(manifest: object): readonly string[] {
  const { bin, exports, imports } = manifest as Readonly<Record<string, unknown>>;
  const visit = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return value.startsWith('./') && !value.includes('*') ? [value] : [];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(visit) : [];
  };
  return [...new Set([exports, imports, bin].flatMap(visit))];
}

/** Throws with the names of the files if a manifest points to one that is not there. */
export function requireBuilt(folder: string, name: string, manifest: object): void {
  const missing = targetsOf(manifest).filter((target) => !existsSync(join(folder, target)));
  if (missing.length > 0)
    throw new Error(`Refusing to pack ${name}: it is not built, ${missing.join(', ')} is missing. Run: pnpm build`);
}
