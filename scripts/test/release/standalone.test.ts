import { expect, test } from 'vitest';
import { missingOutput } from '../../release/check-package.ts';

const PROGRAM = 'console.log(a);\nconsole.log(b); // 68 °F … (repaired)\nconsole.log(c); // { ok: true }\n';

test('a program printed what its comments say, in their order, with any text for "…"', () => {
  expect(missingOutput(PROGRAM, 'a\n68 °F\n(repaired)\n{ ok: true }\n')).toBeUndefined();
});

test.each([
  ['a line that is missing', '68 °F\n(repaired)\n', '{ ok: true }'],
  ['a line that differs', '69 °F\n(repaired)\n{ ok: true }\n', '68 °F … (repaired)'],
  ['lines in another order', '{ ok: true }\n68 °F\n(repaired)\n', '{ ok: true }'],
  ['no output', '', '68 °F … (repaired)'],
])('%s is named', (_, stdout, comment) => {
  expect(missingOutput(PROGRAM, stdout)).toBe(comment);
});

test('a program that says nothing about its output is an error', () => {
  expect(() => missingOutput('console.log(a);\n', 'a\n')).toThrow('no comment');
});
