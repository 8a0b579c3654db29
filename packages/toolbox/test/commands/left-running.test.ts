import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { createBackgroundCommands } from '../../src/commands/background-commands.ts';
import { clean, createOutputBuffer, createProgress } from '../../src/commands/process/output-buffer.ts';
import { commands } from './support.ts';

describe('output with control characters', () => {
  it.each([
    ['a bell at the end', 'done\u0007\n', 'done\n'],
    ['a title that ends with a bell', '\u001B]0;my title: (1 of 2)\u0007done', 'done'],
    ['a link', '\u001B]8;;http://127.0.0.1/a b\u001B\\text\u001B]8;;\u001B\\', 'text'],
    [
      'images of a terminal',
      'a\u001B_Ga=T,f=100;aGVsbG8=\u001B\\b\u001BPq#0;2;0;0;0~~-\u001B\\c\u001B]1337;File=inline=1:aGVsbG8=\u0007d',
      'abcd',
    ],
    ['the end of all styles', '\u001B[1mbold\u001B(B\u001B[m', 'bold'],
    ['a title without an end', '\u001B]0;title\ndone', '0;title\ndone'],
    ['a spinner', '|\b/\b-\b\\\b \bdone', 'done'],
    ['bold print of a manual', 'N\bNA\bAM\bME\bE', 'NAME'],
    ['a backspace that is not written over', 'ab\b', 'ab'],
    ['pages', 'one\ftwo\vthree', 'one\ntwo\nthree'],
    ['names that end in NUL', 'a.txt\0b.txt\0', String.raw`a.txt\x00b.txt\x00`],
    ['shifts, deletes and C1 controls', '\u000E\u007F\u0085', String.raw`\x0e\x7f\x85`],
    ['an escape that was cut', 'red\u001B[3', 'red'],
    ['an escape that is none', 'a\u001Bz', String.raw`a\x1bz`],
  ])('such as %s reads as a terminal shows it, and nothing stays hidden', (_, output, shown) => {
    verifies('toolbox.commands.controls');
    expect(clean(new TextEncoder().encode(output))).toBe(shown);
  });

  it('gives a model no control character but line breaks and tabs', async () => {
    verifies('toolbox.commands.controls');
    const { run } = await commands();
    const { forLLM } = await run([
      process.execPath,
      '-e',
      'process.stdout.write(Buffer.from(Array.from({ length: 256 }, (_, i) => i)))',
    ]);
    expect(forLLM).not.toMatch(/(?![\n\t])\p{Cc}/u);
  });
});

it('progress has whole characters and colours, however the output arrives', () => {
  const told: string[] = [];
  const output = createProgress((text) => told.push(text));
  const bytes = Buffer.from('a\u{1F600}b\u001B[31mred\u001B[0m end\u001B[3');
  for (const byte of bytes) output.add(Uint8Array.of(byte));
  output.add(Buffer.from(`m!${'\u00E9'.repeat(5000)}\u00E9`).subarray(0, -1));
  output.end();
  expect(told.slice(0, -2).join('')).toBe('a\u{1F600}bred end');
  expect(told.at(-2)).toMatch(/^!\u00E9{3997}$/);
});

it('output that is read while the command runs has whole characters and colours, however it arrives', async () => {
  verifies('toolbox.commands.characters');
  const ended = Promise.withResolvers<never>();
  const background = createBackgroundCommands(1000);
  const context = { callId: '1', toolName: 'run_command', signal: new AbortController().signal } as const;
  const command = background.add(context, () => ended.promise);
  const read: string[] = [];
  for (const byte of Buffer.from('a\u{1F600}b\u001B[31mred\u001B[0m\u00E9\u6F22')) {
    command.append(Uint8Array.of(byte));
    read.push(command.takeOutput());
  }
  expect(read.join('')).toBe('a\u{1F600}bred\u00E9\u6F22');
  command.append(Buffer.from('\u{1F600}').subarray(0, 2));
  expect(command.takeOutput()).toBe('');
  ended.reject(new Error('over'));
  await command.ended;
  expect(command.takeOutput()).not.toBe('');
});

it.each(['\u00E9', '\u6F22', '\u{1F600}'])('what is left out of output is whole characters, of %s', (character) => {
  for (const lead of ['', 'x', 'xy', 'xyz']) {
    const bytes = Buffer.from(`${lead}${character.repeat(500)}`);
    const output = createOutputBuffer(101);
    output.append(bytes);
    const [begin = '', left = '', end = ''] = output.text().split('\n');
    expect(character.repeat(500)).toContain(begin.slice(lead.length) + end);
    expect(left).toBe(`… ${bytes.length - Buffer.byteLength(begin + end)} bytes left out …`);
  }
});

it.each([
  ['\u202Etxt.exe\u202C', String.raw`\u202etxt.exe\u202c`],
  ['a\u200Bb\uFEFFc\u{E0061}', String.raw`a\u200bb\ufeffc\u{e0061}`],
  ['\u{1F468}\u200D\u{1F469} \uE0B0', '\u{1F468}\u200D\u{1F469} \uE0B0'],
])('what hides text or turns its direction is seen in output: %j', (output, shown) => {
  expect(clean(new TextEncoder().encode(output))).toBe(shown);
});
