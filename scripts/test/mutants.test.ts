import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { MUTANTS } from '../../test/mutation/mutants.ts';
import { mutate } from '../../test/mutation/mutate-source.ts';

const repository = resolve(import.meta.dirname, '../..');

test('each fault of the list has its text in its file exactly once, and tests that exist', () => {
  verifies('architecture.mutants');
  expect(MUTANTS.length).toBeGreaterThan(0);
  const wrong = MUTANTS.filter(({ file, find, replace, tests }) => {
    const count = find === '' ? 1 : readFileSync(join(repository, file), 'utf8').split(find).length - 1;
    return (
      count !== 1 || replace === find || tests.length === 0 || !tests.every((one) => existsSync(join(repository, one)))
    );
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

test('a fault is put into its own file only', () => {
  verifies('architecture.mutants');
  const before = process.env['MUTANT'];
  try {
    delete process.env['MUTANT'];
    expect(mutate('/a.ts', 'x = 1;')).toBeUndefined();
    process.env['MUTANT'] = JSON.stringify({ file: '/a.ts', find: '1', replace: '2' });
    expect([mutate('/a.ts', 'x = 1;'), mutate('/b.ts', 'x = 1;')]).toEqual(['x = 2;', undefined]);
    process.env['MUTANT'] = JSON.stringify({ file: '/a.ts', find: '', replace: 'y();\n' });
    expect(mutate('/a.ts', 'x = 1;')).toBe('y();\nx = 1;');
  } finally {
    delete process.env['MUTANT'];
    if (before !== undefined) process.env['MUTANT'] = before;
  }
});
