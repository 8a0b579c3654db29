import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
const guard = join(folder, '../test/setup/loopback-only.ts');

/** Each example is a program of its own: it runs offline on the built packages, asserts, and exits 1 on a mismatch. */
test.each(globSync('[0-9]*.ts', { cwd: folder }).toSorted())('%s runs offline and exits 0', async (file) => {
  const flags = ['--unhandled-rejections=strict', '--import', guard];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...flags, join(folder, file)], {
    cwd: folder,
  });
  expect(stderr).toBe('');
  expect(stdout).not.toBe('');
});
