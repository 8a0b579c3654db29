import { expect, test } from 'vitest';
import { splitCommand } from '../src/options/split-command.ts';

test.each([
  ['npx -y  a-server', ['npx', '-y', 'a-server']],
  [`run "two words" 'and "three"' four\\ five`, ['run', 'two words', 'and "three"', 'four five']],
  [`a'b'"c" "" "d\\"e\\\\f\\g"`, ['abc', '', 'd"e\\f\\g']],
])('the command %j is split as a shell does', (text, words) => {
  expect(splitCommand(text)).toEqual(words);
});
