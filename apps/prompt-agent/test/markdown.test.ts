import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { highlightCode, loadHighlighter } from '../src/markdown/highlight.ts';
import { renderBlock } from '../src/markdown/render-block.ts';
import { createBlockSplitter, type MarkdownBlock } from '../src/markdown/split-blocks.ts';
import { encodeLine } from '../src/output/terminal/spans.ts';
import { lineWidth, textWidth } from '../src/output/terminal/text-width.ts';
import { controlsOf, plain } from './terminals.ts';

const COLORS = { width: 60, hasColors: true, hasLinks: true };
const PLAIN = { width: 60, hasColors: false, hasLinks: false };

function split(source: string, size = source.length): readonly MarkdownBlock[] {
  const splitter = createBlockSplitter();
  const blocks: MarkdownBlock[] = [];
  for (let at = 0; at < source.length; at += size) blocks.push(...splitter.push(source.slice(at, at + size)));
  return [...blocks, ...splitter.end()];
}

function render(source: string, look = PLAIN): string {
  return split(source)
    .flatMap((block) => renderBlock(block, look).map((line) => encodeLine(line, look)))
    .join('\n');
}

const DOCUMENT = `# Title
Text of *one* paragraph
that goes on.

- one
- two
  - nested

  second paragraph of two

\`\`\`ts
const a = 1;

- not a list
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> quoted

the end`;

test('blocks do not depend on the pieces in which a text arrives', () => {
  verifies('cli.look');
  const whole = split(DOCUMENT);
  for (const size of [1, 2, 3, 7, 50]) expect(split(DOCUMENT, size)).toEqual(whole);
  expect(whole.map(({ source }) => source.split('\n')[0])).toEqual([
    '# Title',
    'Text of *one* paragraph',
    '- one',
    '- two',
    '```ts',
    '| a | b |',
    '> quoted',
    'the end',
  ]);
  expect(whole.map(({ hasGap }) => hasGap)).toEqual([false, false, true, false, true, true, true, true]);
});

test('a block is complete as soon as the next one begins, and code when its fence ends', () => {
  verifies('cli.look');
  const splitter = createBlockSplitter();
  expect(splitter.push('- one\n')).toEqual([]);
  expect(splitter.push('- two\n')).toMatchObject([{ source: '- one' }]);
  expect(splitter.push('\n```js\nlet a;\n')).toMatchObject([{ source: '- two' }]);
  expect(splitter.tail()).toBe('let a;');
  expect(splitter.push('```\n')).toMatchObject([{ source: '```js\nlet a;\n```' }]);
  splitter.push('never shown');
  splitter.discard();
  expect(splitter.end()).toEqual([]);
});

test('Markdown is laid out: headings, emphasis, lists, tasks, quotes, tables', () => {
  verifies('cli.look');
  expect(render('# A `b`\n\n**c** *d* ~~e~~\n- [x] f\n- [ ] g\n3. h\n4. i\n> j\n\n---')).toBe(
    ['# A `b`', '**c** *d* ~~e~~', '• [x] f', '• [ ] g', '3. h', '4. i', '', '│ j', '─'.repeat(40)].join('\n'),
  );
  expect(render('# A\n**c** `d`', COLORS)).toBe('\u001B[1;4mA\u001B[0m\n\u001B[1mc\u001B[0m \u001B[36md\u001B[0m');
  expect(render('| long name | n |\n|:--|--:|\n| a | 1 |\n| 漢字 | 22 |')).toBe(
    ['long name │  n', '──────────┼───', 'a         │  1', '漢字      │ 22'].join('\n'),
  );
});

test('tables fit the width: cells are wrapped, and where columns have no place each row is a list', () => {
  verifies('cli.look.plain');
  const table = `| name | what it is about |\n|---|---|\n| alpha | ${'word '.repeat(30)}|`;
  const wide = render(table, { ...PLAIN, width: 40 }).split('\n');
  expect(wide.every((line) => textWidth(line) <= 40)).toBe(true);
  expect(wide[2]).toMatch(/^alpha │ word word/);
  const narrow = render('| a | b | c | d |\n|-|-|-|-|\n| one | two three four five six | three | four |', {
    ...PLAIN,
    width: 20,
  });
  expect(narrow).toBe('a: one\nb: two three four\nfive six\nc: three\nd: four');
});

test('text is wrapped between words at 20 columns, and wide characters count as two', () => {
  verifies('cli.look.plain');
  const lines = renderBlock(
    { source: `a ${'漢字'.repeat(20)} and some more words`, hasGap: false, isPlain: false },
    {
      ...PLAIN,
      width: 20,
    },
  );
  expect(lines.every((line) => lineWidth(line) <= 20)).toBe(true);
  expect(lines.map((line) => encodeLine(line, PLAIN)).join('')).toContain('some more');
});

test('a link is a hyperlink only where its text cannot be taken for another address', () => {
  verifies('cli.look', 'cli.look.safe');
  expect(render('[docs](https://example.com/a)', COLORS)).toContain('\u001B]8;;https://example.com/a\u001B\\');
  expect(render('[docs](https://example.com/a)', PLAIN)).toBe('docs (https://example.com/a)');
  expect(plain(render('[https://bank.example](https://other.example)', COLORS))).toBe(
    'https://bank.example (https://other.example)',
  );
  expect(plain(render('[bank.example](https://other.example)', COLORS))).toBe('bank.example (https://other.example)');
  expect(render('[a](javascript:alert(1))', COLORS)).not.toContain('\u001B]8');
});

const HOSTILE = '\u001B[2J\u001B]0;x\u0007\u009B31m\u202Eend\r';

test.each([
  ['text', HOSTILE],
  ['a heading', `# ${HOSTILE}`],
  ['code', `\`\`\`ts\nconst a = "${HOSTILE}"; // ${HOSTILE}\n\`\`\``],
  ['the language of code', `\`\`\`${HOSTILE}\nx\n\`\`\``],
  ['inline code', `\`${HOSTILE}\``],
  ['a link', `[${HOSTILE}](https://example.com/${HOSTILE})`],
  ['the target of a link', `[a](<https://example.com/\u001B]8;;\u0007>)`],
  ['an image', `![${HOSTILE}](${HOSTILE})`],
  ['a table', `| ${HOSTILE} |\n|--|\n| ${HOSTILE} |`],
  ['a list', `- ${HOSTILE}\n  1. ${HOSTILE}`],
  ['a quote', `> ${HOSTILE}`],
  ['HTML', `<b>${HOSTILE}</b>`],
  ['entities', '&#27;[2J &#x1b;[2J &lt;b&gt;'],
])('no control sequence of a model reaches the terminal by %s', async (_, source) => {
  verifies('cli.look.safe');
  await loadHighlighter();
  for (const look of [COLORS, PLAIN]) {
    const shown = render(source, look);
    expect(controlsOf(shown).filter((each) => !each.startsWith('\u001B]8;;') || each.includes('\u0007'))).toEqual([]);
    expect(shown).not.toContain('\u202E');
  }
});

test('code is coloured by its language, and what is not known or too long is shown as it is', async () => {
  verifies('cli.look');
  await loadHighlighter();
  expect(highlightCode('const a = "<b>"; // x', 'ts')[0]).toEqual(
    expect.arrayContaining([
      { text: 'const', styles: ['magenta'] },
      { text: '<', styles: ['green'] },
      { text: '// x', styles: ['dim'] },
    ]),
  );
  const joined = (code: string, language: string): string =>
    highlightCode(code, language)
      .map((line) => line.map(({ text }) => text).join(''))
      .join('\n');
  const code = 'a &amp; b < c\n\n"\'`${x}`\'"\n';
  for (const language of ['ts', 'python', 'html', 'diff', 'nothing', '']) expect(joined(code, language)).toBe(code);
  expect(highlightCode('x'.repeat(500), 'ts')).toEqual([[{ text: 'x'.repeat(500) }]]);
});

test('what is too long or nested too deep is shown as it is', () => {
  verifies('cli.look.safe');
  const line = `**${'a'.repeat(20_000)}**`;
  expect(render(line)).toContain(line);
  expect(render(`${'> '.repeat(8000)}x`)).toContain('x');
  expect(split(`\`\`\`\n${'code\n'.repeat(10_000)}\`\`\``).every(({ source }) => source.length < 20_000)).toBe(true);
});
