import { PassThrough } from 'node:stream';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createOutput } from '../src/output/output.ts';
import { answerServers } from '../src/questions/answer-servers.ts';
import { workspace } from './program.ts';

/** A terminal at which these lines are typed, each after a question. */
function typing(...lines: readonly string[]) {
  const cwd = workspace({ 'a.txt': '' });
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, rows: 200, columns: 100 });
  const left = [...lines];
  let shown = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (!/(?:\[y\/N\]|:)\s*$/.test(text)) return;
    const line = left.shift();
    if (line === undefined) stdin.end();
    else stdin.write(`${line}\n`);
  });
  const host = { argv: [], env: {}, cwd, home: cwd, stdin, stdout: new PassThrough(), stderr, signal };
  return { ...answerServers(host, createOutput(host)), shown: () => shown };
}

const { signal } = new AbortController();
const properties = {
  name: { type: 'string', title: 'Your name', description: 'As on\u200B the card' },
  age: { type: 'integer' },
  news: { type: 'boolean', default: false },
  size: {
    type: 'string',
    oneOf: [
      { const: 's', title: 'Small' },
      { const: 'l', title: 'Large' },
    ],
  },
  tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
};
const question = { server: 'shop', message: 'Who are you?', schema: { properties, required: ['name', 'age'] }, signal };

test('a server asks the person at the terminal, field by field, each value of its type, and named as the one who asks', async () => {
  verifies('cli.elicitation');
  const { elicit, shown } = typing('y', 'Ada', 'old', '36', '', 'large', 'a, b');
  expect(await elicit?.(question)).toEqual({
    action: 'accept',
    content: { name: 'Ada', age: 36, size: 'l', tags: ['a', 'b'] },
  });
  expect(shown()).toContain('MCP server "shop" asks: Who are you?');
  expect(shown()).toContain(String.raw`Your name: As on\u200b the card`);
  expect(shown()).toContain('size (Small, Large)');
});

test.each([
  ['anything but yes', ['', 'Ada'], 'decline'],
  ['the end of the input', ['y', 'Ada'], 'cancel'],
  ['three values that do not fit', ['y', 'Ada', 'x', '1.5', ''], 'cancel'],
] as const)('%s is no answer', async (_, lines, action) => {
  verifies('cli.elicitation');
  expect(await typing(...lines).elicit?.(question)).toEqual({ action });
});

test('a page that a server wants opened is shown with its address, and only yes accepts', async () => {
  verifies('cli.elicitation');
  const page = { server: 'shop', message: 'Pay', url: 'https://pay.example/1', signal };
  const yes = typing('y');
  expect(await yes.elicitUrl?.(page)).toBe('accept');
  expect(yes.shown()).toContain('\nhttps://pay.example/1\n');
  expect(await typing('').elicitUrl?.(page)).toBe('decline');
});
