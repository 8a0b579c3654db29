import { verifies } from '@kernel/testing';
import { beforeAll, expect, test } from 'vitest';
import { promptHere, workspace } from './program.ts';

/** The folder is listed: nothing else may be in it. */
const NOT_KEPT = { PROMPT_AGENT_SESSIONS: 'off' };
let cwd = '';
beforeAll(() => {
  cwd = workspace({
    'package.json': '{ "name": "demo", "version": "1.2.3", "license": "MIT" }\n',
    'notes.md': '# Notes\nsecond line\nTODO: buy milk\n',
    'README.md': '# Demo\nHello\n',
    'data.csv': 'a,b\n1,2\n3,4\n',
    'src/index.ts': 'export const answer = 42;\n// TODO later\n',
    'src/deep/other.ts': "import { answer } from '../index.ts';\n",
  });
});

/** Each names its kind; a call, an answer or a half of one would be wrong for all of them. */
test.each([
  // A call fails.
  'read src/index.ts and src/missing.ts',
  'what is 2 + 2 and read missing.md',
  'read notes.md, README.md, missing.md',
  'list src/deep and src/missing',
  'what is 2 + 2 and 1 / 0',
  // The rest of a sentence belongs to the search or the question before it.
  'search for TODO in notes.md and README.md',
  'search for TODO and count',
  'what is 3 + 4 more than',
  'what is 10 - 3 -',
  'is 10 greater than 5 + 6',
  'which is more, 2 + 2 and 3 + 3',
  'which is bigger: 2 + 2 and 3 + 3',
  // Arithmetic that people read in two ways.
  'what is 20 over 5 percent',
  'what is 20 / 5%',
  'what is 2 ^ 50%',
  'what is half of 10 plus 2',
  'what is sin(90)',
  'what is -7 mod 3',
  'what is 7 % 3',
  'subtract 5 and 20',
  'divide 20 by 5 and 2',
  'multiply 2 and 3 and add 4',
  'add 2 and 3 and multiply by 4',
  // Questions about somebody or about the past, and statements.
  'who can read notes.md',
  'did you read notes.md',
  'have you read notes.md',
  'should I read notes.md',
  'I have read notes.md',
  'I read notes.md',
  'you may read notes.md',
  'show me how to read notes.md',
  'what time was it in Tokyo',
  'what is notes.md for',
  'is notes.md a file',
  // A place within a text, a pattern, or a kind of match.
  'search for TODO near milk',
  'search for TODO followed by milk',
  'search for lines with TODO',
  'search for lines that end with milk',
  'find TODO after line 2 in notes.md',
  'find one TODO',
  'search for /TODO/',
  'search for TODO*',
  'find where answer is defined',
  'find bugs in src/index.ts',
  'find typos in notes.md',
  'read the imports in src/deep/other.ts',
  // A kind of file, or a part of what there is.
  'list files in src with answer',
  'list folders',
  'list directories',
  'list the contents of the files in src',
  'list every file in src and below',
  'list files like src',
  'list files by src',
  'show me a file',
  'list them',
  'list what',
  'read one of notes.md and README.md',
  'read some of notes.md',
  'read a bit of notes.md',
  // Where it goes, and when.
  'list src to a file',
  'get notes.md out of here',
  'read package.json when done',
  'read package.json. Make that README.md.',
  'cat -n notes.md',
  'cat notes.md | wc -l',
  'cat notes.md > copy.md',
  // Places and zones that are not one.
  'time in Cambridge',
  "what's the time in Portland",
  'what are the time zones',
  'what day of the year is it',
])('what would be half an answer, or one to another question, is none: %s', async (text) => {
  verifies('offline.hundred', 'offline.partial');
  const { code, stdout } = await promptHere(['--provider', 'offline', '--', text], { cwd, env: NOT_KEPT });
  expect([code === 0, stdout]).toEqual([false, '']);
});

test.each([
  ['what time is it in Tokyo and what day', /^\w+day, [\d-]+, [\d:]+ \(Asia\/Tokyo/],
  ['search for "TODO*"', /^No line contains "TODO\*"/],
  ['subtract 5 from 20', /^15$/],
  ['list files and folders', /\(4 files, 1 folder, whose content is not counted\)$/],
  ['read notes.md, README.md', /# Notes[\s\S]*# Demo/],
  ['read package.json and 2 + 2', /"demo"[\s\S]*4$/],
  ['list src and how many are there', /\(1 file, 1 folder, whose content is not counted\)$/],
])('what stands beside them is still answered: %s', async (text, right) => {
  const { code, stdout } = await promptHere(['--provider', 'offline', '--', text], { cwd, env: NOT_KEPT });
  expect(code).toBe(0);
  expect(stdout.trim()).toMatch(right);
});
