import { execFile } from 'node:child_process';
import { cpSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verifies } from '@kernel/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPackedProject } from '../../scripts/lib/packed-project.ts';

const folder = join(import.meta.dirname, '..');
const root = join(folder, '..');
const guard = join(root, 'test/setup/loopback-only.ts');
const programs = globSync('[0-9]*.ts', { cwd: folder }).toSorted();

/** The examples beside the packages as they are packed. */
let project = '';
beforeAll(() => {
  project = createPackedProject(root, ['examples']);
  cpSync(join(folder, 'package.json'), join(project, 'package.json'));
  for (const name of globSync(['*.ts', 'servers/**', 'web/**'], { cwd: folder }))
    cpSync(join(folder, name), join(project, name), { recursive: true });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test('the examples type-check under --strict on the packed packages', async () => {
  verifies('examples.packed');
  const compilerOptions = {
    strict: true,
    target: 'es2023',
    lib: ['es2024'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: programs }));
  const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', project]).catch(
    (error: { readonly stdout?: string; readonly message: string }) => ({ stdout: error.stdout ?? error.message }),
  );
  expect(stdout).toBe('');
});

/** Each example is a program of its own: it runs offline, asserts, and exits 1 on a mismatch. */
test.each(programs)('%s runs offline on the packed packages and exits 0', async (file) => {
  verifies('examples.packed');
  const flags = ['--unhandled-rejections=strict', '--import', guard];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...flags, join(project, file)], {
    cwd: project,
  });
  expect(stderr).toBe('');
  expect(stdout).not.toBe('');
});
