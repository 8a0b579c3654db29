import { expect, test } from 'vitest';
import { querySecrets, withoutQuery } from '../src/index.ts';

test.each<readonly [string, readonly string[]]>([
  ['api_key=abcdefgh', ['abcdefgh']],
  ['Token=a%2Fb%20cdefg', ['a/b cdefg']],
  ['sig=12345678&region=europe-west', ['12345678']],
  ['x=0123456789abcdef0123', ['0123456789abcdef0123']],
  ['0123456789abcdef0123', ['0123456789abcdef0123']],
  ['author=somebody-else&verbose&key=short&auth=', []],
  ['', []],
])('of the query %j, %j is secret', (query, expected) => {
  expect(querySecrets(new URL(`https://example.com/mcp?${query}`))).toEqual(expected);
});

test.each([
  ['https://example.com/mcp?key=abc&x=1#f', 'https://example.com/mcp?key=…&x=…'],
  ['https://example.com/mcp?abc', 'https://example.com/mcp?…'],
  ['https://example.com/mcp', 'https://example.com/mcp'],
  ['HTTP://example.com?a=b?c=d', 'HTTP://example.com?a=…'],
  ['node server.js --what ?a=b', 'node server.js --what ?a=b'],
])('%s is kept as %s', (address, kept) => {
  expect(withoutQuery(address)).toBe(kept);
  expect(withoutQuery(kept)).toBe(kept);
});
