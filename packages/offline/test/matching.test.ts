import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { ask, callsFor, userTools, workTools } from './fixtures.ts';

test.each([
  [
    'list the files in packages and tell me the time in Tokyo',
    'list_folder {"path":"packages"}',
    'clock {"zone":"Asia/Tokyo"}',
  ],
  ["what's in the packages folder?", 'list_folder {"path":"packages"}'],
  ['ls packages', 'list_folder {"path":"packages"}'],
  ['show me the contents of packages/tools/src', 'list_folder {"path":"packages/tools/src"}'],
  ['which files are in apps', 'list_folder {"path":"apps"}'],
  ['read package.json and tell me the name', 'read_file {"path":"package.json"}'],
  ['cat README.md', 'read_file {"path":"README.md"}'],
  ['show me LICENSE', 'read_file {"path":"LICENSE"}'],
  ['what does turbo.json say?', 'read_file {"path":"turbo.json"}'],
  ['open packages/tools/package.json', 'read_file {"path":"packages/tools/package.json"}'],
  ['what time is it in Tokyo?', 'clock {"zone":"Asia/Tokyo"}'],
  ['current time in New York', 'clock {"zone":"America/New_York"}'],
  ['how late is it in Berlin', 'clock {"zone":"Europe/Berlin"}'],
  ["what's today's date?", 'clock {}'],
  ['time in Asia/Kolkata', 'clock {"zone":"Asia/Kolkata"}'],
  ['what time is it in São Paulo', 'clock {"zone":"America/Sao_Paulo"}'],
  [
    'time in Mumbai, london and paris',
    'clock {"zone":"Asia/Kolkata"}',
    'clock {"zone":"Europe/London"}',
    'clock {"zone":"Europe/Paris"}',
  ],
  ['tell me the current date and time in UTC', 'clock {"zone":"UTC"}'],
  ['tell me the time in Kathmandu', 'clock {"zone":"Asia/Kathmandu"}'],
  ["what's the time in Kyiv right now", 'clock {"zone":"Europe/Kyiv"}'],
  ['what time is it in Ho Chi Minh City?', 'clock {"zone":"Asia/Ho_Chi_Minh"}'],
  ['open LICENSE and show it to me', 'read_file {"path":"LICENSE"}'],
  ['read package.json, then print the contents please', 'read_file {"path":"package.json"}'],
  ['which files under packages/tools mention bindTool?', 'search_text {"query":"bindTool","path":"packages/tools"}'],
  ['find files in packages that use undici', 'search_text {"query":"undici","path":"packages"}'],
  ['where is bindTool used in packages/tools?', 'search_text {"query":"bindTool","path":"packages/tools"}'],
  ['list everything in packages', 'list_folder {"path":"packages"}'],
  ['what day is it', 'clock {}'],
  ['where is createRegistry mentioned in packages?', 'search_text {"query":"createRegistry","path":"packages"}'],
  ['find withRetry in packages', 'search_text {"query":"withRetry","path":"packages"}'],
  ['which files mention undici', 'search_text {"query":"undici"}'],
  ["grep 'defineTool' apps", 'search_text {"query":"defineTool","path":"apps"}'],
  ['12.5 * (3 + 4)', 'arithmetic {"expression":"12.5 * (3 + 4)"}'],
  ['what is 3 plus 4?', 'arithmetic {"expression":"3 + 4"}'],
  ['calculate 2^10', 'arithmetic {"expression":"2 ^ 10"}'],
  ['how much is 15% of 80', 'arithmetic {"expression":"15 / 100 * 80"}'],
  ['search packages for undici', 'search_text {"query":"undici","path":"packages"}'],
  ['search for the word registry in packages', 'search_text {"query":"registry","path":"packages"}'],
  ['where is answer mentioned', 'search_text {"query":"answer"}'],
  ['grep -rn KernelError packages', 'search_text {"query":"KernelError","path":"packages"}'],
  ['list .. & read ../secret.txt', 'list_folder {"path":".."}', 'read_file {"path":"../secret.txt"}'],
  ['display the license file', 'read_file {"path":"LICENSE"}'],
  ['square root of 144', 'arithmetic {"expression":"sqrt(144)"}'],
  ['calculate this (it is 2 + 3)', 'arithmetic {"expression":"2 + 3"}'],
  ['three plus four', 'arithmetic {"expression":"3 + 4"}'],
  ['12 x 4', 'arithmetic {"expression":"12 * 4"}'],
  ['sqrt(2)*10', 'arithmetic {"expression":"sqrt(2) * 10"}'],
  ['search for hello', 'search_text {"query":"hello"}'],
  ['find hello', 'search_text {"query":"hello"}'],
  ['look for hello in packages, please', 'search_text {"query":"hello","path":"packages"}'],
  ['search for (a+)+$ in packages', 'search_text {"query":"(a+)+$","path":"packages"}'],
  ['search for the meaning of life', 'search_text {"query":"meaning of life"}'],
  ['search for cats in the docs', 'search_text {"query":"cats","path":"docs"}'],
  ['search for TODO. list src', 'search_text {"query":"TODO"}', 'list_folder {"path":"src"}'],
  ['find the word hello', 'search_text {"query":"hello"}'],
  ['search for cats and dogs in the docs folder', 'search_text {"query":"cats and dogs","path":"docs"}'],
  ['search for export const in packages/tools/src', 'search_text {"query":"export const","path":"packages/tools/src"}'],
  ['search for "a in b" in docs', 'search_text {"query":"a in b","path":"docs"}'],
  ['search for all uses of hello in this project', 'search_text {"query":"hello"}'],
  ['find files that mention hello', 'search_text {"query":"hello"}'],
  ['find hello and read package.json', 'search_text {"query":"hello"}', 'read_file {"path":"package.json"}'],
  ['search the docs folder for adr', 'search_text {"query":"adr","path":"docs"}'],
  ['grep hello world', 'search_text {"query":"hello","path":"world"}'],
  ['list .git', 'list_folder {"path":".git"}'],
  ['read the license', 'read_file {"path":"LICENSE"}'],
  ['read package.json and tell me the license', 'read_file {"path":"package.json"}'],
  ['time in UTC+5', 'clock {"zone":"+05:00"}'],
  ['time in UTC+5:30', 'clock {"zone":"+05:30"}'],
  ['1e400', 'arithmetic {"expression":"1e400"}'],
  ['which files mention "not here" in the docs folder', 'search_text {"query":"not here","path":"docs"}'],
  ['does notes.md contain TODO', 'search_text {"query":"TODO","path":"notes.md"}'],
  ['read größe.txt', 'read_file {"path":"größe.txt"}'],
  ['find Überfall', 'search_text {"query":"Überfall"}'],
  ['find export const in src', 'search_text {"query":"export const","path":"src"}'],
  ['locate export default function in the src folder', 'search_text {"query":"export default function","path":"src"}'],
  ['search createRegistry from src', 'search_text {"query":"createRegistry","path":"src"}'],
  ['search for "a b" from docs/a.txt', 'search_text {"query":"a b","path":"docs/a.txt"}'],
  ['find all uses of package.json', 'search_text {"query":"package.json"}'],
  ['find all uses of export const', 'search_text {"query":"export const"}'],
  ['find https://example.com', 'search_text {"query":"https://example.com"}'],
  ['grep -n hello in src', 'search_text {"query":"hello","path":"src"}'],
  ['grep cats and dogs in src', 'search_text {"query":"cats and dogs","path":"src"}'],
  ['rg `foo bar` across the repo', 'search_text {"query":"foo bar"}'],
  ['which files mention the export const in src', 'search_text {"query":"export const","path":"src"}'],
  ['which files mention package.json', 'search_text {"query":"package.json"}'],
  ['which files contain hello in src', 'search_text {"query":"hello","path":"src"}'],
  ['where is the answer mentioned', 'search_text {"query":"answer"}'],
  ['look for hello in the src folder', 'search_text {"query":"hello","path":"src"}'],
  ['where is TODO in src', 'search_text {"query":"TODO","path":"src"}'],
  ['where is createRegistry', 'search_text {"query":"createRegistry"}'],
  ['where is "export const"', 'search_text {"query":"export const"}'],
  ['read документ.md', 'read_file {"path":"документ.md"}'],
  ['read 🙂.md', 'read_file {"path":"🙂.md"}'],
  ['read e\u0301te.md', 'read_file {"path":"e\u0301te.md"}'],
])('"%s" becomes the calls that it asks for', async (prompt, ...calls) => {
  verifies('offline.search');
  expect(await callsFor(prompt, workTools)).toEqual(calls.filter(Boolean));
});

test.each([
  ["what's the weather in San Francisco in celsius?", 'get_weather {"city":"San Francisco","unit":"celsius"}'],
  ['please greet Ada Lovelace', 'greet {"name":"Ada Lovelace"}'],
  ['roll 3 dice with 6 sides', 'roll_dice {"count":3,"sides":6}'],
  ['roll two dice', 'roll_dice {"count":2}'],
  ['send an email to bob@example.com saying hello there', 'send_email {"to":"bob@example.com","body":"hello there"}'],
  ['book the red room tomorrow', 'book_room {"date":"2026-11-22","room":"red"}'],
  ['what is the average of 1, 2 and 3?', 'average {"numbers":[1,2,3]}'],
  ['flip a coin', 'flip_coin {}'],
])('a tool that a user registers is matched by its own words: "%s"', async (prompt, call) => {
  expect(await callsFor(prompt, [...workTools, ...userTools])).toEqual([call]);
  expect(await callsFor(prompt, userTools)).toEqual([call]);
});

const webSearch = {
  name: 'web_search',
  description: 'Searches the web.',
  effect: 'read',
  parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
} as const;

test.each([
  ['search the web for cats', 'cats'],
  ['search web for "cats in hats"', 'cats in hats'],
  ['web search cats', 'cats'],
  ['web search for cats and dogs', 'cats and dogs'],
  ['do a web search for createRegistry', 'createRegistry'],
  ['web search: node.js', 'node.js'],
])('a search that takes only a query is called by what it searches: "%s"', async (prompt, query) => {
  verifies('offline.search');
  const call = `web_search ${JSON.stringify({ query })}`;
  expect(await callsFor(prompt, [webSearch])).toEqual([call]);
  expect(await callsFor(prompt, [...workTools, webSearch])).toEqual([call]);
});

test.each(['search src for cats', 'search the docs for cats', 'search the web for me', 'web search for cats in src'])(
  'a search that takes only a query looks nowhere else: "%s"',
  async (prompt) => {
    await expect(callsFor(prompt, [webSearch])).rejects.toSatisfy((error) => KernelError.is(error, 'PROVIDER_REFUSED'));
  },
);

test.each([
  'write me a poem',
  'write me a poem about time',
  'tell me the time in Tokyo as a limerick',
  'translate package.json into French',
  'summarise README.md',
  'delete package.json',
  'delete the files in the packages directory',
  'refactor src/index.ts',
  'what is the meaning of life?',
  'find the meaning of life',
  'who is the president of France?',
  'what is the time complexity of quicksort?',
  'what time is it in Atlantis',
  'what is the best time to visit Tokyo',
  'find me a good restaurant in Tokyo',
  'find my keys',
  'find the bug',
  'find a restaurant',
  'find out who is president',
  'search the web for cats',
  'look hello',
  'what is the name of this project',
  'show me the first 5 lines of README.md',
  'show me the last line of package.json',
  'what is the size of package.json',
  'is there a file called foo.ts in packages',
  'list all markdown files',
  'list all typescript files in packages',
  'how many lines are in README.md',
  'how many files are in docs/adr?',
  'time in UTC+99',
  'how many files mention undici',
  'how many days are in a week',
  'tell me about Tokyo',
  'which is the best file in packages?',
  'what day is christmas',
  'sort the files in packages by size',
  'list three reasons to exercise',
  'what is 2+2 in binary',
  'send an email',
  'roll',
  'hello',
  '',
  // Words that begin like a search, or stand where its query could be.
  'KEY=abc',
  'does notes.md contain "a b" in src',
  'search for the word in src',
  'find import from in src',
  'grep hello -n in src',
  'list the folder packages/tools and read its package.json',
  'read its package.json',
  'TODO in package.json',
  'how many dependencies in package.json',
  'find the old bridge in Tokyo',
  'find first line in notes.md',
  'find my old keys in src',
  'which files import readFile from tools',
  'which files use too much memory',
  'find test files in src',
  'find lines over 80 in src',
  'search for emails from yesterday',
  'find something in src',
  'where is lunch',
  'where is it in src',
  'search for it',
  'convert km 5 to kg',
  'grep a b c',
  'search for hello and docs/a.txt',
  'read package.json and show me its first line',
  'square root of -4',
  // Letters and digits that are not ASCII are parts of words.
  'what is twenty-one plus two',
  'what is 2⁴',
  'what is 2½ + 1',
  'read 𝕟𝕠𝕥 notes.md',
])('"%s" is refused, and nothing is called', async (prompt) => {
  verifies('offline.search');
  await expect(ask(prompt, workTools)).rejects.toSatisfy((error) => KernelError.is(error, 'PROVIDER_REFUSED'));
});

test('no value reaches over a comma', async () => {
  const tools = [...workTools, ...userTools];
  for (const prompt of ['tell me the name, list packages', 'greet, list packages'])
    expect(await callsFor(prompt, tools).catch(() => [])).not.toContainEqual(expect.stringContaining('greet'));
});

test('hostile tool names and arguments are names like others', async () => {
  const tool = (name: string) => ({
    name,
    description: 'Paints a fence.',
    effect: 'read' as const,
    parameters: { type: 'object', properties: { ['__proto__']: { type: 'string' }, constructor: { type: 'string' } } },
  });
  expect(await callsFor('paint the fence', [tool('constructor')])).toEqual(['constructor {}']);
  expect(await callsFor('paint the fence', [tool('__proto__')])).toEqual(['__proto__ {}']);
});

test('the same prompt and tools give the same calls every time', async () => {
  const prompt = 'list packages, read package.json and tell me the time in Tokyo';
  const first = await callsFor(prompt, workTools);
  expect(first).toHaveLength(3);
  expect(await callsFor(prompt, [...workTools])).toEqual(first);
});
