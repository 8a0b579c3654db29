import { readFileSync } from 'node:fs';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { VENDOR_RULES } from '../../src/vendor-rules/rules.ts';

const cell = (value: unknown): string =>
  (value instanceof RegExp ? `\`${value.source}\`` : typeof value === 'string' ? `\`${value}\`` : JSON.stringify(value))
    .replaceAll('"', '')
    .replaceAll(',', ', ')
    .replaceAll('|', String.raw`\|`);

test('the page of what vendors refuse has each rule of the table, with its source', () => {
  verifies('providers.refusals.table');
  const page = readFileSync(new URL('../../../../docs/vendor-rules.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const written = rows.map((row) => row.replaceAll(/ +/g, ' ').trim());
  const expected = VENDOR_RULES.map(
    ([where, what, limit, source, read]) =>
      `| ${cell(where)} | ${cell(what)} | ${cell(limit)} | [source](${source}) | ${read} |`,
  );
  expect(written).toEqual(expected);
});

test('each rule says where and when it was read', () => {
  verifies('providers.refusals.table');
  for (const [, , , source, read] of VENDOR_RULES) {
    expect(source).toMatch(/^https:\/\//);
    expect(read).toMatch(/^202\d-\d\d$/);
  }
});
