import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { showCall } from '../src/questions/show-call.ts';
import { wrapLines } from '../src/output/terminal/wrap-lines.ts';
import { call, terminal, tool } from './execute.support.ts';

test('an abort ends the question', async () => {
  const { approve } = terminal();
  const stop = new AbortController();
  const decided = approve({ call, tool, signal: stop.signal });
  setTimeout(() => stop.abort(new Error('enough')), 10);
  await expect(decided).rejects.toThrow('enough');
});

test.each([
  ['{"a":1,"a":2}', 'these keys occur more than once'],
  ['{"a":{"b":1,"\\u0062":2}}', 'it is not certain which value is used: b'],
  ['{"to":"a\u200bb"}', 'a\\u200bb'],
  ['{"to":"\u202ebob"}', '\\u202ebob'],
  ['{"to":"\u{e0041}x"}', '\\u{e0041}x'],
  ['x\nfolder: /tmp', '  x\n  folder: /tmp'],
  ['not JSON \u001b[2J', 'not JSON \\x1b[2J'],
  ['{"to":"a\u2800b\ufff9c\ue000d"}', 'a\\u2800b\\ufff9c\\ue000d'],
  ['{"to":"a","t\\u0000o":1}', '"t\\u0000o": 1'],
  ['{"a\\nisolated: bubblewrap, no network":1}', '"a\\nisolated: bubblewrap, no network": 1'],
  ['{"isolated":"bubblewrap, no network"}', '"isolated": bubblewrap, no network'],
  ['{"text":"a\\nnot isolated"}', 'text:\n  a\n  not isolated'],
  ['{"a":"1","b":"","c":" x","d":"null"}', 'a: "1"\nb: ""\nc: " x"\nd: "null"'],
])('keys that occur more than once and invisible characters are marked: %s', (json, marked) => {
  verifies('cli.approval.whole');
  expect(showCall('send', json).join('\n')).toContain(marked);
});

test('a long call is shown with the very numbers and the order of keys that it has', () => {
  verifies('cli.approval.whole');
  const json = `{"z":"${'x'.repeat(100)}","2":12345678901234567890,"a":1e400,"c":-0,"1":[1.10,[],{},{"d":"a\\u0062"}]}`;
  const shown = showCall('send', json).slice(1).join('\n');
  for (const line of ['2: 12345678901234567890', 'a: 1e400', 'c: -0', '1.10', '[]', '{}', '"d": "ab"'])
    expect(shown).toContain(line);
  expect(shown.split('\n').flatMap((line) => /^(\w+):/.exec(line)?.[1] ?? [])).toEqual(['z', '2', 'a', 'c', '1']);
});

test('tabs count as eight columns, and a newline begins a line that is marked, so that no page is higher than the screen', () => {
  verifies('cli.approval.whole');
  expect(wrapLines(['\t'.repeat(100)], 40)).toHaveLength(25);
  expect(wrapLines(['one\ntwo\n'], 40)).toEqual(['one', '│ two', '│ ']);
});

test('wide characters count as two columns, so that no page is higher than the screen', () => {
  verifies('cli.approval.whole');
  expect(wrapLines(['漢'.repeat(100)], 40)).toHaveLength(6);
  expect(wrapLines([`${'a'.repeat(39)}${'😀'.repeat(30)}`], 40).every((line) => line.isWellFormed())).toBe(true);
});
