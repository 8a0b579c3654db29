import { readFileSync } from 'node:fs';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { bundleFor } from './bundle.ts';

/** What only Node has, each by itself: a property of another name, or of our own `node`, is not meant. */
const OF_NODE =
  /(?<![\w$.'"`/-])(?:Buffer|process|setImmediate|clearImmediate|require|__dirname|__filename|global)(?=\s*[.([])/g;

/** The code without comments and without the text of strings. */
function bare(code: string): string {
  return code
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");
}

test.each([['workerd', 'worker', 'browser'], ['browser'], ['deno'], ['bun']])(
  'for %s the packages import nothing of Node and use none of its globals, in every entry but those for files',
  async (...conditions) => {
    verifies('runtimes.withoutNode');
    const code = await bundleFor(conditions, 'every-entry.ts');
    expect(
      [...code.matchAll(/(?:from|import)\s*\(?\s*["'](node:[^"']+|undici[^"']*)["']/g)].map(([, id]) => id),
    ).toEqual([]);
    expect([...bare(code).matchAll(OF_NODE)].map(([found]) => found)).toEqual([]);
    expect(code).toContain('getReader');
  },
);

test('the table of the README names the conditions that choose a transport, and those alone', () => {
  verifies('runtimes.withoutNode');
  const folder = new URL('../../packages/providers/', import.meta.url);
  const { imports } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
    readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  const readme = readFileSync(new URL('README.md', folder), 'utf8');
  const rows = readme.matchAll(/^\| `([\w-]+)` +\|[^|]+\| +(`fetch`|undici(?:'s client)?) +\|$/gm);
  const told = [...rows].map(([, condition, transport]) => [condition, transport === '`fetch`' ? 'fetch' : 'undici']);
  const chosen = Object.entries(imports['#transport'] ?? {}).filter(([condition]) => condition !== '@kernel/source');
  expect(told).toEqual(chosen.map(([condition, file]) => [condition, /http\/(\w+)\//.exec(file)?.[1]]));
});

test('for Node the packages keep the client of undici', async () => {
  verifies('runtimes.withoutNode');
  const code = await bundleFor(['node'], 'every-entry.ts');
  expect(code).toContain('undici/lib/dispatcher/client.js');
});

test.each(['const a = Buffer.from(x)', 'process.env.X', "f(require('x'))", 'setImmediate(work)'])(
  'the look finds %s',
  (code) => {
    verifies('runtimes.withoutNode');
    expect(bare(code).match(OF_NODE)).toHaveLength(1);
  },
);
