import { existsSync, readFileSync } from 'node:fs';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { methodTables, withMethodTables } from './lib/methods-table.ts';

describe.each(methodTables().map((table) => [table.title, table] as const))('%s', (_title, { parts, rows }) => {
  test('each part of the schema is decided on, and nothing else', () => {
    verifies('judges.acp.methods');
    const names = parts.map(({ name }) => name);
    expect(Object.keys(rows).toSorted()).toEqual(names.toSorted());
  });

  test('what is done names a test, and what is not says why', () => {
    verifies('judges.acp.methods');
    const standings = Object.values(rows).flatMap(({ agent, client }) => [agent, client]);
    const empty = standings.filter((standing) =>
      'not' in standing ? standing.not.length < 10 : !existsSync(new URL(`../../${standing.test}`, import.meta.url)),
    );
    expect(empty).toEqual([]);
  });
});

test('the schema has methods of both sides, updates and capabilities', () => {
  const counts = methodTables().map(({ parts }) => parts.length);
  expect(Math.min(...counts)).toBeGreaterThan(1);
  expect(counts[0]).toBeGreaterThan(35);
});

test('the document has the tables as they are', () => {
  verifies('judges.acp.methods');
  const text = readFileSync(new URL('../../docs/acp-methods.md', import.meta.url), 'utf8');
  expect(withMethodTables(text)).toBe(text);
});
