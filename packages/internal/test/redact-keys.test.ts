import { expect, test } from 'vitest';
import { createRedactor, type Redactor } from '../src/index.ts';

const KEY = 'Qx7-fT9pLz2vRk8wHn4cYd6mJb1s';
const MAX_FRAGMENT = 8;

/** The longest part of the key that is in a text. */
function longestPart(text: string): number {
  for (let length = KEY.length; length > 0; length -= 1)
    for (let at = 0; at + length <= KEY.length; at += 1) if (text.includes(KEY.slice(at, at + length))) return length;
  return 0;
}

/** The key as JSON can write it: every character as an escape. */
const ESCAPED = Array.from(KEY, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const PERCENT = Array.from(KEY, (char) => `%${char.charCodeAt(0).toString(16)}`).join('');
const SPELLINGS: readonly (readonly [string, string])[] = [
  ['plainly', KEY],
  ['with every character as \\u', ESCAPED],
  ['with \\u in upper case and one character plain', `Q${ESCAPED.slice(6).toUpperCase().replaceAll('\\U', '\\u')}`],
  ['with \\u in JSON in JSON', JSON.stringify(ESCAPED).slice(1, -1)],
  ['with every character as %XX', PERCENT],
  ['in base64', Buffer.from(KEY).toString('base64')],
  ['in base64 after a user name', Buffer.from(`user:${KEY}`).toString('base64')],
  ['in base64 after another user name, for URLs', Buffer.from(`me:${KEY}?>`).toString('base64url')],
];

test.each(SPELLINGS)(
  'a key spelled %s is redacted, and so is every part of it that is longer than 8 characters',
  (_name, spelling) => {
    const redactor = createRedactor([KEY]);
    const clean = redactor.text(`<${spelling}>`);
    expect(clean).toContain('[redacted]');
    expect(clean.length).toBeLessThan(30);
  },
);

test('a text that was cut in the middle of a key holds at most 8 characters of it', () => {
  const redactor = createRedactor([KEY]);
  for (let from = 0; from < KEY.length; from += 1)
    for (let to = from + 1; to <= KEY.length; to += 1)
      expect(longestPart(redactor.text(`… ${KEY.slice(from, to)}…`))).toBeLessThanOrEqual(MAX_FRAGMENT);
});

test('what a stream shows holds at most 8 characters of a key, wherever its pieces begin and end', () => {
  const texts = [`a ${KEY} b`, `cut ${KEY.slice(0, 20)}`, `${KEY.slice(5, 25)} cut`, `x${ESCAPED}y`, `x${PERCENT}y`];
  for (const text of texts)
    for (let first = 0; first <= text.length; first += 1)
      for (const length of [1, 7, 30]) {
        const stream = createRedactor([KEY]).stream();
        let shown = stream.push(text.slice(0, first));
        for (let at = first; at < text.length; at += length) shown += stream.push(text.slice(at, at + length));
        shown += stream.end();
        const plain = shown.replaceAll(/\\u00(..)|%(..)/g, (_match, a, b) =>
          String.fromCharCode(Number.parseInt(a ?? b, 16)),
        );
        expect(longestPart(plain), `${text} at ${first} by ${length}: ${shown}`).toBeLessThanOrEqual(MAX_FRAGMENT);
      }
});

const VENDOR_KEYS = [
  `sk-${'a1B2'.repeat(12)}`,
  `sk-proj-${'a1_B2-'.repeat(12)}`,
  `sk-ant-api03-${'a1B2'.repeat(12)}`,
  `AIza${'a1B2c'.repeat(7)}`,
  `gsk_${'a1B2'.repeat(13)}`,
  `xai-${'a1B2'.repeat(20)}`,
  `ghp_${'a1B2'.repeat(9)}`,
  `github_pat_${'a1B2'.repeat(15)}`,
  'AKIAIOSFODNN7EXAMPLE',
  `hf_${'aBcD'.repeat(8)}`,
  `xoxb-${'1234-'.repeat(5)}`,
  `xapp-1-${'A1b2-'.repeat(6)}`,
  `SG.${'a1B2'.repeat(5)}.${'a1B2'.repeat(10)}`,
  `csk-${'a1b2'.repeat(12)}`,
  `GOCSPX-${'a1B2'.repeat(7)}`,
  `whsec_${'a1B2'.repeat(8)}`,
  `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${'a-_B'.repeat(8)}`,
];

test.each(VENDOR_KEYS)('the key %s is redacted although nobody named it', (key) => {
  const redactor = createRedactor();
  const text = `{"key":"${key}"} ${encodeURIComponent(`?key=${key}`)} Bearer ${key}, end`;
  expect(redactor.text(text)).toBe('{"key":"[redacted]"} %3Fkey%3D[redacted] Bearer [redacted], end');
  expect(redactor.data({ headers: [`Bearer ${key}`] })).toEqual({ headers: ['Bearer [redacted]'] });
  for (let cut = 0; cut <= text.length; cut += 1) {
    const stream = redactor.stream();
    const shown = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end();
    for (let at = 10; at + 9 <= key.length; at += 1) expect(shown).not.toContain(key.slice(at, at + 9));
  }
});

test.each([
  `AIza${'a1B2c'.repeat(7)}`,
  'AKIAIOSFODNN7EXAMPLE',
  'ASIAIOSFODNN7EXAMPLE',
  `SG.${'a1B2'.repeat(5)}.${'a1B2'.repeat(10)}`,
  `ya29.${'a1B2'.repeat(10)}`,
  `eyJ${'a1B2'.repeat(5)}.${'a1B2'.repeat(10)}`,
  `ghp_${'a1B2'.repeat(9)}`,
  `xai-${'a1B2'.repeat(20)}`,
])('the key %s is redacted in a text without any other sign of a key', (key) => {
  expect(createRedactor().text(`the key is ${key} and that was it`)).toBe('the key is [redacted] and that was it');
});

/** What a stream shows of a text that arrives one character at a time. */
function oneByOne(redactor: Redactor, text: string): string {
  const stream = redactor.stream();
  let shown = '';
  for (const character of text) shown += stream.push(character);
  return shown + stream.end();
}

const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${`${'aB3+/x9Z'.repeat(8)}\n`.repeat(20)}-----END RSA PRIVATE KEY-----`;

test.each([PEM, JSON.stringify(PEM).slice(1, -1), PEM.slice(0, 900)])(
  'a private key is redacted, whole or cut, in one piece and in many',
  (key) => {
    const redactor = createRedactor();
    expect(redactor.text(`key: ${key}`)).toBe('key: [redacted]');
    for (const length of [1, 7, 64, 500]) {
      const stream = redactor.stream();
      let shown = '';
      for (let at = 0; at < key.length; at += length) shown += stream.push(key.slice(at, at + length));
      shown += stream.end();
      expect(shown).toContain('[redacted]');
      for (let at = 0; at < 8; at += 1) expect(shown).not.toContain('aB3+/x9Z'.repeat(2).slice(at, at + 9));
    }
  },
);

test('a text about private keys stays', () => {
  const text =
    'A file that begins with -----BEGIN PRIVATE KEY----- holds one. Keep it safe, and never send it to anybody.';
  expect(createRedactor().text(text)).toBe(text);
  expect(oneByOne(createRedactor(), text)).toBe(text);
});

test('a secret in a URL within a URL is redacted, and a key in many pieces leaves one mark', () => {
  const secret = 'p@ss/word+of=me';
  const redactor = createRedactor([secret]);
  const nested = `https://a.example/?to=${encodeURIComponent(`https://b.example/?key=${encodeURIComponent(secret)}&x`)}`;
  expect(redactor.text(nested)).toBe('https://a.example/?to=https%3A%2F%2Fb.example%2F%3Fkey%3D[redacted]%26x');
  expect(oneByOne(redactor, nested)).toContain('key%3D[redacted]');
  const key = `github_pat_${'a1B2'.repeat(15)}`;
  expect(oneByOne(createRedactor(), `${key} end`).split('[redacted]')).toHaveLength(2);
});

test('words, hashes and identifiers that resemble keys stay', () => {
  const text =
    'task-management-system-of-records sk-circle-fade-dot-container sk-short gsk_x 0123456789abcdef0123456789abcdef AKIA eyJ desk-1234567890123456789';
  expect(createRedactor(['development', '/usr/local/bin', 'https://example.com/mcp']).text(text)).toBe(text);
  const paths = createRedactor(['/usr/local/bin/tool', 'https://example.com/mcp']);
  expect(paths.text('/usr/local/lib https://example.com/other')).toBe('/usr/local/lib https://example.com/other');
});

test('data nested 100,000 deep, or with itself inside, is redacted', () => {
  let deep: unknown = KEY;
  for (let level = 0; level < 100_000; level += 1) deep = level % 2 === 0 ? [deep] : { deep };
  let inner: unknown = createRedactor([KEY]).data(deep);
  while (typeof inner === 'object' && inner !== null) [inner] = Object.values(inner);
  expect(inner).toBe('[redacted]');
  const ring: Record<string, unknown> = { key: KEY };
  ring['self'] = ring;
  const copy: Record<string, unknown> = createRedactor([KEY]).data(ring);
  expect(copy['key']).toBe('[redacted]');
  expect(copy['self']).toBe(copy);
});

test('a key named __proto__ stays data', () => {
  const data: unknown = JSON.parse(`{"__proto__":{"polluted":"${KEY}"}}`);
  expect(JSON.stringify(createRedactor([KEY]).data(data))).toBe('{"__proto__":{"polluted":"[redacted]"}}');
});

test('the shortest keys are found at every place among words, whatever is beside them', () => {
  const redactor = createRedactor();
  const shortest = ['xoxb-1234567890', 'AKIAIOSFODNN7EXAMPLE', `sk-${'a1B2'.repeat(4)}`];
  for (const key of shortest)
    for (let before = 0; before <= 40; before += 1)
      for (const beside of [' ', '"', '\n', '/', '=', '@', 'é', '\u{1F600}']) {
        const words = 'the words before a key in a text, which are short ones'.slice(0, before) + beside;
        expect(redactor.text(`${words}${key}${beside}and more`)).toBe(`${words}[redacted]${beside}and more`);
      }
});
