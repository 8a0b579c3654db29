/**
 * Removes from `dist` of the package in the current folder every declaration that no entry point leads to. What is left is what a user can
 * reach, so that nothing published names the private package (ADR 0007).
 */
import { existsSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { publicDeclarations } from './lib/declarations.ts';

const folder = process.cwd();
const reachable = publicDeclarations(join(folder, '../..'), folder.split('/').slice(-2).join('/'));
for (const file of globSync('dist/**/*.d.ts', { cwd: folder })) {
  if (reachable.has(join(folder, file))) continue;
  rmSync(join(folder, file));
  const map = join(folder, `${file}.map`);
  if (existsSync(map)) rmSync(map);
}
