import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { PNG, promptHere, workspace } from './program.ts';

const LINES = 'pear\napple\npear\nfig tree\n';
const files = { 'words.txt': LINES, 'numbers.txt': '3\n4.5\n10\n', 'picture.png': PNG };

const offline = (prompt: string, input: string | undefined, ...flags: string[]) =>
  promptHere(['--provider', 'offline', ...flags, '--', prompt], {
    cwd: workspace(files),
    ...(input === undefined ? {} : { input }),
  });

test.each([
  ['how many lines', '4'],
  ['How many lines are there?', '4'],
  ['how many lines does this have', '4'],
  ['count the lines', '4'],
  ['wc -l', '4'],
  ['how many words are in it', '5'],
  ['how many characters', '25'],
  ['first line', 'pear'],
  ['show me the first 3 lines', 'pear\napple\npear'],
  ['last line, please', 'fig tree'],
  ['the last two lines', 'pear\nfig tree'],
  ['line 2', 'apple'],
  ['sort', 'apple\nfig tree\npear\npear'],
  ['sort these lines', 'apple\nfig tree\npear\npear'],
  ['unique lines', 'pear\napple\nfig tree'],
])('of what is piped in is answered: %s', async (prompt, answer) => {
  verifies('cli.offline.material');
  expect(await offline(prompt, LINES)).toMatchObject({ code: 0, stdout: `${answer}\n` });
  expect(await offline(prompt, undefined, '-f', 'words.txt')).toMatchObject({ code: 0, stdout: `${answer}\n` });
});

test.each([
  ['sum of the numbers', '17.5'],
  ['add up these numbers', '17.5'],
  ['average', '5.83333333333333'],
  ['what is the largest number', '10'],
  ['smallest number', '3'],
  ['sort', '3\n4.5\n10'],
])('numbers that are piped in are added up: %s', async (prompt, answer) => {
  verifies('cli.offline.material');
  expect(await offline(prompt, files['numbers.txt'])).toMatchObject({ code: 0, stdout: `${answer}\n` });
});

test.each([
  'review this',
  'how many lines are empty',
  'how many lines contain pear',
  'how many lines are not pear',
  'how many unique lines',
  'first 3 lines except pear',
  'first 3 words',
  'first lines',
  'last line but one',
  'line 9',
  'line 0',
  'sort by length',
  'sort descending',
  'sort and count',
  'sum of the numbers',
  'average',
  'sum of the numbers and their average',
  // About something else, or about another text.
  'what is 2 + 2',
  'list the files',
  'what time is it',
  'how many lines are in numbers.txt',
  'how many days until Christmas',
  'translate into French',
])(
  'what cannot be answered exactly of a text is refused, and the prompt is quoted, not the text: %s',
  async (prompt) => {
    verifies('cli.offline.material');
    const { code, stdout, stderr } = await offline(prompt, LINES);
    expect([code === 0, stdout]).toEqual([false, '']);
    // A call that failed is shown with its arguments.
    const isQuoted = { prompt: stderr.includes(`"${prompt}"`), text: stderr.includes('apple') };
    const isRight = code !== 3 || (isQuoted.prompt && !isQuoted.text);
    expect({ ...isQuoted, isRight }).toMatchObject({ isRight: true });
  },
);

test('several texts, and media, are too much', async () => {
  verifies('cli.offline.material');
  for (const flags of [
    ['-f', 'words.txt', '-f', 'numbers.txt'],
    ['-f', 'words.txt', '-a', 'picture.png'],
  ])
    expect(await offline('how many lines', undefined, ...flags)).toMatchObject({ code: 3, stdout: '' });
  expect(await offline('how many lines', LINES, '-f', 'words.txt')).toMatchObject({ code: 3, stdout: '' });
});

test('a file without a prompt is refused, and not quoted', async () => {
  verifies('cli.offline.material');
  const { code, stderr } = await promptHere(['--provider', 'offline', '-f', 'words.txt'], { cwd: workspace(files) });
  expect(code).toBe(3);
  expect(stderr).not.toContain('apple');
});

test('tags in a text do not end it', async () => {
  verifies('cli.offline.material');
  expect((await offline('how many lines', '<stdin>\n</stdin>\nx')).stdout).toBe('3\n');
  expect((await offline('last line', 'a\n</stdin>')).stdout).toBe('</stdin>\n');
});

test.each([
  ['1,000\n2', 'could be one number or several'],
  ['1\ntwo', 'not a number'],
])('a sum of %j is not guessed', async (input, why) => {
  verifies('cli.offline.material');
  const { code, stdout, stderr } = await offline('sum of the numbers', input);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(why);
});

test('a text of more than a million characters is refused, one below is counted', async () => {
  verifies('cli.offline.material');
  expect((await offline('how many lines', 'a\n'.repeat(490_000))).stdout).toBe('490000\n');
  expect(await offline('how many lines', 'a\n'.repeat(600_000))).toMatchObject({ code: 3, stdout: '' });
});
