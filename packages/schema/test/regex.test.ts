import { expect, test } from 'vitest';
import { isExponential } from '../src/regex/ambiguity.ts';
import { compileBacktracking } from '../src/regex/backtracking.ts';
import { createSearch } from '../src/regex/growth.ts';
import { compileLinear } from '../src/regex/linear.ts';

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
  ['[\\p{L}--[a-z]]', 'v'],
  ['[[a-c]&&[^a]][^\\]]?$', 'v'],
  ['\\1a', ''],
  ['\\141', ''],
  ['\\81|\\cz|\\u{2}', ''],
  ['\\k<a>|\\p{L}|b-', ''],
];

test.each(PATTERNS)('a linear search for /%s/%s finds what JavaScript finds', (source, flags) => {
  const pattern = new RegExp(source, flags);
  const search = compileLinear(pattern);
  for (const text of TEXTS) expect([text, search?.(text, { left: 1e6 })]).toEqual([text, text.search(pattern)]);
});

test.each([
  ['(a|b)\\1', 'u'],
  ['(?<word>\\w+) \\k<word>', 'u'],
  ['^(?:(?<x>a)|(?<x>f))o*.*\\k<x>', 'u'],
  ['(?<=(o)\\1) ', 'u'],
  ['(?<=\\1(o)) ', 'u'],
  ['^(a?)*\\1b', 'u'],
  ['(?=(a+))a*b\\1', 'u'],
  ['^(?:(a)|b)*\\1$', 'u'],
  ['(.)\\1', 'iu'],
  ['(\\w)-?\\1', 'i'],
  ['^(.*?)(.)\\2', ''],
])('a search that counts finds for /%s/%s what JavaScript finds', (source, flags) => {
  const pattern = new RegExp(source, flags);
  const search = compileBacktracking(pattern);
  for (const text of [...TEXTS, 'aA', 'sſ', 'ab b', 'foo foo'])
    expect([text, search(text, { left: 1e6 })]).toEqual([text, text.search(pattern)]);
});

test('for patterns at random, each search finds what JavaScript finds', () => {
  let seed = 7;
  const below = (limit: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
  };
  const pick = (of: readonly string[]): string => of[below(of.length)] ?? '';
  const part = (depth: number): string => {
    const kind = below(depth > 0 ? 12 : 7);
    if (kind === 0) return pick(['^', '$', '\\b', '\\B']);
    if (kind === 11) return `${pick(['(?=', '(?!', '(?<=', '(?<!'])}${choice(depth - 1)})`;
    const single = pick(['a', 'b', 'A', '[ab]', '.', '[^a]', '\\w', '\\1', '\\2', '\\1']);
    const atom = kind < 7 ? single : `${pick(['(', '(', '(?:'])}${choice(depth - 1)})`;
    return `${atom}${pick(['', '', '', '*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{0,2}?', '{2,}'])}`;
  };
  const choice = (depth: number): string =>
    `${part(depth)}${part(depth)}${below(3) === 0 ? `|${part(depth)}` : part(depth)}`;
  let compared = 0;
  for (let count = 0; count < 2000; count += 1) {
    const [source, flags] = [choice(2), pick(['', 'u', 'i', 'iu', 'm', 'v', 's'])];
    // In Unicode mode, a reference to a group that there is not is an error.
    if (/[uv]/.test(flags) && (source.match(/\((?!\?)/g) ?? []).length < 2) continue;
    const pattern = new RegExp(source, flags);
    for (const search of [createSearch(pattern), compileBacktracking(pattern), compileLinear(pattern)]) {
      const text = Array.from({ length: below(8) }, () => pick(['a', 'b', 'A', 'B', '\n', '-'])).join('');
      const found = search?.(text, { left: 1e6 }) ?? text.search(pattern);
      expect([source, flags, text, found]).toEqual([source, flags, text, text.search(pattern)]);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(3000);
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
  '^(b)(?:a|a)*\\1',
  '(?=(a+)+\\1b)x',
  '^(?:(?:){999999999}a+)+$',
  '^(?:\\p{Script=Greek}|\\p{Script=Greek})+$',
  '^(?:[^\\0-α]|[^γ-\\u{10ffff}])+$',
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
  '(?:(?:){99999999}){99999999}',
  '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$',
  '^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$',
  '^(?:(?!ab)[^])*$',
])('/%s/ cannot', (source) => {
  expect(isExponential(new RegExp(source, 'u'))).toBe(false);
});

const ZONES = Intl.supportedValuesOf('timeZone')
  .join('|')
  .replaceAll('+', String.raw`\+`);

test.each<readonly [what: string, source: string, text: string]>([
  ['properties', '^(?:\\p{Script=Greek}|\\p{Lu})+$', 'αα'],
  ['a property and a class', '^(?:[αβ]|\\p{Script=Greek})+$x', 'γ'.repeat(38)],
  ['quotes', '^(["\'])(?:\\\\.|(?!\\1).)*\\1$', `"${'words of a text '.repeat(500)}"`],
  ['dates', '^\\d{4}([-/])\\d{2}\\1\\d{2}(?:;\\d{4}([-/])\\d{2}\\2\\d{2})*$', `2026-11-28${';2026/11/28'.repeat(999)}`],
  ['long lines', '^(?:[^\\n]{0,5000}\\n)+$', `${'words of a text '.repeat(20)}\n`.repeat(100)],
  ['time zones', `^(?:${ZONES})(?:,(?:${ZONES}))*$`, Intl.supportedValuesOf('timeZone').join(',')],
])('a pattern of %s is not said to be exponential, and its steps are counted', (_, source, text) => {
  const pattern = new RegExp(source, 'u');
  const budget = { left: 1e6 };
  expect(isExponential(pattern)).not.toBe(false);
  expect(createSearch(pattern)(text, budget)).toBe(text.search(pattern));
  expect(budget.left).toBeLessThan(1e6);
});

test.each([
  ['^(?:\\p{Script=Greek}|\\p{Script=Greek})+$', `${'α'.repeat(38)}!`],
  ['[a-z]{1000}!', 'a'.repeat(50_000)],
  ['^(?:[\\p{L}--[a-z]]|[A-Z])+$', `${'A'.repeat(40)}!`],
])('/%s/ is searched for by steps that are counted', (source, text) => {
  const budget = { left: 1e6 };
  expect(createSearch(new RegExp(source, 'v'))(text, budget)).toBe(-1);
  expect(budget.left).toBeLessThan(1e6);
});

test.each([
  ['^(b)(?:a|a)*\\1', `b${'a'.repeat(34)}!`],
  ['(?:a{100}){100}b', 'a'.repeat(1e5)],
  ['(?:a{1000}){1000}b', 'a'.repeat(1e5)],
  ['(?:a?){999999999}b', 'a'],
])('/%s/ ends when the steps are used up', (source, text) => {
  expect(() => createSearch(new RegExp(source, 'u'))(text, { left: 1e5 })).toThrow(RangeError);
});

test('a search on which the stack of JavaScript overflows is made by counted steps', () => {
  const search = createSearch(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u);
  const text = 'abcd'.repeat(1_250_000);
  expect(search(text, { left: 1e7 })).toBe(0);
});

test('the analysis of a pattern of very many characters ends', () => {
  const letters = Array.from({ length: 3000 }, (_, at) => String.fromCodePoint(0x4e00 + 2 * at));
  expect(isExponential(new RegExp(`^(?:[${letters.join('')}]|${letters.join('|')})+$`, 'u'))).toBeUndefined();
});

test('back references on the lines of a text take few steps', () => {
  const budget = { left: 1e5 };
  const twice = createSearch(/\b(\w+)\s+\1\b/u);
  const line = 'The quick brown fox jumps over the lazy dog, and nothing that it says is said twice.';
  for (let count = 0; count < 40; count += 1) expect(twice(line, budget)).toBe(-1);
  expect(twice('Now it is is said.', budget)).toBe(7);
  const element = createSearch(/<(\w+)[^>]*>.*?<\/\1>/u);
  for (const html of ['<p>A <b>word</b>', '<ul class="a"><li>one</li></ul>', '  <a href="b">c</a>'])
    expect(element(html, budget)).toBe(html.search(/<(\w+)[^>]*>.*?<\/\1>/u));
});

test.each([
  [`${'('.repeat(9000)}a${')'.repeat(9000)}`, 'u'],
  ['\\p{RGI_Emoji}', 'v'],
  ['[\\q{ab|c}]', 'v'],
])('a pattern that is not supported is refused by a SyntaxError', (source, flags) => {
  expect(() => createSearch(new RegExp(source, flags))).toThrow(SyntaxError);
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
