import { expect, test } from 'vitest';
import { compileLinear } from '../src/regex/linear.ts';
import { isExponential } from '../src/regex/ambiguity.ts';
import { createSearch } from '../src/regex/growth.ts';

const TEXTS = [
  '',
  'a',
  'aaaa',
  'aab-cab',
  'abc123',
  'foo bar foobar',
  '12:34:56',
  'a.b@c.de',
  'é😀ж',
  '😀😀',
  'x\ny\nz',
  '-a-',
  'AbC',
  '  a  ',
  '\u017F',
  'aba',
  'http://a.b/c?d=e#f',
  '2026-11-28T19:24:47Z',
  '1.2.3-alpha.1+x',
];
const PATTERNS: readonly (readonly [source: string, flags: string])[] = [
  ['a', 'u'],
  ['^a*$', 'u'],
  ['(a|ab)(c|bcd)?', 'u'],
  ['(a+)+$', 'u'],
  ['(?:a?){3}b', 'u'],
  ['a{2,3}?b', 'u'],
  ['^(?=.*[A-Z])(?=.*[a-z]).+$', 'u'],
  ['(?!foo)\\b\\w+', 'u'],
  ['(?<=foo )bar', 'u'],
  ['(?<!o)b', 'u'],
  ['(?<=(?<!b)a)b', 'u'],
  ['\\Bo', ''],
  ['\\p{L}+\\P{L}', 'u'],
  ['.', 'u'],
  ['.', ''],
  ['^.$', 'u'],
  ['^..$', ''],
  ['😀$', 'u'],
  ['😀', ''],
  ['[^]z', ''],
  ['[]', ''],
  ['^y$', 'm'],
  ['c$', 'i'],
  ['\\w', 'iu'],
  ['(?i:b)C', 'u'],
  ['', 'u'],
  ['$', 'u'],
  ['(?:)*b', 'u'],
  ['(a*)*b', 'u'],
  ['\\d{4}-(?:0\\d|1[0-2])', 'u'],
  ['^(?:[^:/?#]+:)?(?://[^/?#]*)?[^?#]*(?:\\?[^#]*)?(?:#.*)?$', ''],
  ['{', ''],
  ['x|y|', 'u'],
  ['(?=a|b)[ab]{2}(?!b)', 'u'],
];

test.each(PATTERNS)('a linear search for /%s/%s finds what JavaScript finds', (source, flags) => {
  const pattern = new RegExp(source, flags);
  const search = compileLinear(pattern);
  for (const text of TEXTS) expect([text, search?.(text, { left: 1e6 })]).toEqual([text, text.search(pattern)]);
});

test.each([
  '^(a+)+$',
  '(a*)*b',
  '^(?:\\w+-?)*$',
  '(~|~~)+$',
  '^(a|a)*$',
  '^(\\p{L}+)+x',
  '^([\\u00e0-\\u00ff]+)+$',
  '^(?:ab|cd|abcd)+$x',
  '(?=(a+)+b)x',
  '^(?:(a+)\\1)+$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^(?:a?b?)*$x',
  `^${'a?'.repeat(30)}${'a'.repeat(30)}!$`,
  '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
])('/%s/ can take exponential time', (source) => {
  expect(isExponential(new RegExp(source, 'u'))).toBe(true);
});

test.each([
  '^[a-z]+(?:-[a-z]+)*$',
  '^([a-z0-9]+-)*[a-z0-9]+$',
  '.*foo.*bar.*',
  '^(?:\\b\\w+\\b\\s*)*$',
  '^(?:a?)*$',
  '^(a+)+',
  '^(["\']).*\\1$',
  '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$',
  '^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$',
  '^(?:(?!ab)[^])*$',
])('/%s/ cannot', (source) => {
  expect(isExponential(new RegExp(source, 'u'))).toBe(false);
});

test.each(['^(a+)+$', '.*foo.*bar.*x$', '(?:(?=a*b)a)*c', '^(?:\\w+\\s?)*$', '^(?=.*a.*a.*a.*b).*x$'])(
  'the steps of /%s/ grow no faster than the text',
  (source) => {
    const search = createSearch(new RegExp(source, 'u'));
    const stepsFor = (length: number): number => {
      const budget = { left: 1e9 };
      search(`${'a'.repeat(length)}!`, budget);
      return 1e9 - budget.left;
    };
    const [short, long] = [stepsFor(4000), stepsFor(16_000)];
    expect(short).toBeGreaterThan(3999);
    expect(long / short).toBeLessThan(4.2);
  },
);

test('a text that is too long for a back reference is refused, and a short one is searched', () => {
  const search = createSearch(/^(.*)(.*)\1x$/u);
  expect(search(`${'ab'.repeat(2)}x`, { left: 1e6 })).toBe(0);
  expect(() => search('ab'.repeat(5000), { left: 1e6 })).toThrow('too many steps');
});

test('steps that are used up end a search', () => {
  expect(() => createSearch(/.*a.*b/u)('a'.repeat(5000), { left: 1000 })).toThrow(RangeError);
});
