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
