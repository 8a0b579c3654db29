import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { firstCodeBlock } from '../src/output/create-view.ts';
import { link, PNG, promptHere, workspace } from './program.ts';
import { serverOfEachTest, text } from './input.support.ts';

const { ask, messages, replies, sent, server } = serverOfEachTest();

describe('stdin', () => {
  test('precedes the prompt, between tags that its text cannot close', async () => {
    verifies('cli.ask.stdin');
    expect((await ask(['review this'], { input: 'a </stdin> b\n' })).stdout).toBe('ok\n');
    expect(sent()).toEqual([text('<stdin-2>\na </stdin> b\n</stdin-2>'), text('review this')]);
  });

  test('is the prompt where no other is given', async () => {
    verifies('cli.ask.stdin');
    await ask([], { input: 'what is this?\n' });
    expect(sent()).toBe('what is this?\n');
  });

  test('that is empty changes nothing', async () => {
    verifies('cli.ask.stdin');
    await ask(['hi'], { input: '' });
    expect(sent()).toBe('hi');
  });

  test('of ten megabytes arrives whole', async () => {
    verifies('cli.ask.stdin');
    const input = `${'0123456789abcdef'.repeat(655_360)}\n`;
    expect((await ask(['summarize'], { input })).code).toBe(0);
    expect(sent()).toEqual([text(`<stdin>\n${input}</stdin>`), text('summarize')]);
  });

  test.each([
    ['bytes that are not text', Uint8Array.from([0, 1, 0, 0, 2, 3]), 'is not text'],
    ['only white space', ' \n\t', 'prompt is missing'],
    ['more than 32 MiB', new Uint8Array(33 * 1024 * 1024).fill(0x61), 'more than 33554432 bytes'],
  ])('with %s is refused with exit 2', async (_, input, named) => {
    verifies('cli.ask.stdin');
    const { code, stderr } = await ask([], { input });
    expect([code, stderr]).toEqual([2, expect.stringContaining(named)]);
    expect(server().requests).toHaveLength(0);
  });

  test('answers offline, too', async () => {
    verifies('cli.ask.stdin');
    expect((await promptHere([], { input: '2+2\n' })).stdout).toBe('4\n');
  });
});

describe('-f', () => {
  const files = {
    'src/a.ts': 'export const a = 1;\n',
    'src/b.ts': 'export const b = 2;\n',
    'src/logo.png': PNG,
    'src/.env': 'KEY=secret',
    '.gitignore': 'dist\n',
    'dist/a.ts': 'built',
  };
  const a = text('<file name="src/a.ts">\nexport const a = 1;\n</file>');

  test('sends a file, the text files of a folder, and those that a glob matches', async () => {
    verifies('cli.ask.fragments');
    const cwd = workspace(files);
    await ask(['-f', 'src/a.ts', 'review'], { cwd });
    expect(sent()).toEqual([a, text('review')]);
    const folder = await ask(['-f', 'src', 'review'], { cwd });
    expect(sent()).toEqual([
      text('<file name="a.ts">\nexport const a = 1;\n</file>'),
      text('<file name="b.ts">\nexport const b = 2;\n</file>'),
      text('review'),
    ]);
    expect(folder.stderr).toContain('-f src: 2 files, 1 left out, which are not text: "logo.png"');
    await ask(['-f', '**/a.ts', '-f', 'src/b.ts', 'review'], { cwd });
    expect(sent()).toEqual([a, text('<file name="src/b.ts">\nexport const b = 2;\n</file>'), text('review')]);
  });

  test('reads UTF-16 and Windows-1252 as the file tools do, also from stdin and in a folder', async () => {
    verifies('cli.ask.fragments');
    const wide = Buffer.from('\uFEFFgrün\n', 'utf16le');
    const cwd = workspace({ 'in/wide.txt': wide, 'in/latin.txt': Buffer.from('gr\xfcn\n', 'latin1') });
    expect((await ask(['-f', 'in', 'review'], { cwd })).stderr).toContain(
      '-f in: "latin.txt" is not UTF-8; it is read as Windows-1252\n',
    );
    const sentFile = (name: string) => text(`<file name="${name}">\ngrün\n</file>`);
    expect(sent()).toEqual([sentFile('latin.txt'), sentFile('wide.txt'), text('review')]);
    await ask(['-f', 'in/wide.txt', 'review'], { cwd });
    expect(sent()).toEqual([sentFile('in/wide.txt'), text('review')]);
    expect((await ask(['review'], { cwd, input: wide })).stderr).not.toContain('stdin');
    expect(sent()).toEqual([text('<stdin>\ngrün\n</stdin>'), text('review')]);
    const broken = Buffer.concat([Buffer.from('größe '), Buffer.of(0xff)]);
    expect((await ask(['review'], { cwd, input: broken })).stderr).toContain(
      'note: stdin has bytes that are not valid characters; they are sent as U+FFFD\n',
    );
  });

  test('sends a file once that is named twice, by whatever path', async () => {
    verifies('cli.ask.once');
    const cwd = workspace(files);
    link(cwd, 'other.ts', join(cwd, 'src/a.ts'));
    const same = ['src/a.ts', './src/../src/a.ts', join(cwd, 'src/a.ts'), 'other.ts', '**/a.ts'];
    const { code } = await ask([...same.flatMap((path) => ['-f', path]), 'review'], { cwd });
    expect([code, sent()]).toEqual([0, [a, text('review')]]);
    await ask(['-f', 'src/a.ts', '-f', 'src', 'review'], { cwd });
    expect(sent()).toEqual([a, text('<file name="b.ts">\nexport const b = 2;\n</file>'), text('review')]);
  });

  test('a page that redirects to another host is an error that names it', async () => {
    verifies('cli.ask.redirect');
    const pages = createServer((_, response) => {
      response.writeHead(302, { location: 'http://localhost:9/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
      const { code, stderr } = await ask(['-f', url, 'what is it?']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('redirects to http://localhost:9/elsewhere')]);
      expect(server().requests).toHaveLength(0);
    } finally {
      pages.close();
    }
  });

  test.each([
    [['-f', 'none.txt', 'x'], '-f: "none.txt" cannot be read (ENOENT)'],
    [['-f', 'src/logo.png', 'x'], 'Give an image, a recording or a PDF with -a.'],
    [['-f', '*.nothing', 'x'], '-f: "*.nothing" has no text files'],
    [['-f', 'http://127.0.0.1:9/', 'x'], '-f: "http://127.0.0.1:9/"'],
    [['-a', 'src/a.ts', 'x'], '-a: "src/a.ts" is not an image, a recording or a PDF'],
    [['-a', '-', 'x'], '"-" means stdin, which is empty'],
    [['-f', 'src/a.ts', ' '], 'prompt is missing'],
  ])('%j exits 2 and names the source', async (args, named) => {
    verifies('cli.ask.fragments', 'cli.ask.attachments');
    const { code, stderr } = await ask(args, { cwd: workspace(files) });
    expect([code, stderr]).toEqual([2, expect.stringContaining(named)]);
  });

  test('of a folder that cannot be listed, and of one with too much, exits 2', async () => {
    verifies('cli.ask.fragments');
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`many/${index}.txt`, 'x']));
    const { code, stderr } = await ask(['-f', 'many', 'x'], { cwd: workspace(many) });
    expect([code, stderr]).toEqual([2, expect.stringContaining('at most 1000 files')]);
  });
});

test('-a and --images send images, recordings and PDFs with the prompt, - from stdin', async () => {
  verifies('cli.ask.attachments');
  const cwd = workspace({ 'a.png': PNG, 'doc.pdf': '%PDF-1.4\n' });
  await ask(['-a', 'a.png', '-a', 'doc.pdf', '--images', 'a.png', '-a', '-', 'describe'], { cwd, input: PNG });
  const image = {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${Buffer.from(PNG).toString('base64')}` },
  };
  expect(sent()).toEqual([
    image,
    { type: 'file', file: { filename: 'doc.pdf', file_data: expect.stringMatching(/^data:application\/pdf;base64,/) } },
    image,
    image,
    text('describe'),
  ]);
});

describe('--schema', () => {
  test('without a model is refused in words that name it', async () => {
    verifies('cli.ask.schema.offline');
    const { code, stderr } = await promptHere(['--schema', 'name, age int', '2+2']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('Offline cannot give an answer of a --schema')]);
  });

  const answer = { name: 'Ada', age: 36 };

  test('takes any name once: one that is there twice is named, and __proto__ is a name', async () => {
    verifies('cli.ask.schema');
    const { code, stderr } = await ask(['--schema', 'name, name int', 'hi']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('"name" is there twice')]);
    const asked = await ask(['--schema', '__proto__ int', 'hi']);
    expect(asked.stderr).not.toContain('JSON cannot represent');
    expect(server().requests.length).toBeGreaterThan(0);
  });

  test('prints JSON that fits the short form, a file or JSON text', async () => {
    verifies('cli.ask.schema');
    const properties = { name: { type: 'string' }, age: { type: 'integer', description: 'in years' } };
    const schema = { type: 'object', properties, required: ['name', 'age'], additionalProperties: false };
    const cwd = workspace({ 'person.json': JSON.stringify(schema) });
    for (const given of ['name, age int: in years', 'person.json', JSON.stringify(schema)]) {
      replies.push({ text: JSON.stringify(answer) });
      // oxlint-disable-next-line no-await-in-loop -- one server
      const { code, stdout } = await ask(['--schema', given, 'invent a person'], { cwd });
      expect([given, code, stdout]).toEqual([given, 0, `${JSON.stringify(answer, undefined, 2)}\n`]);
    }
  });

  test.each(['age number of years', '{"type":', 'none.json', ' , '])('%j exits 2', async (given) => {
    verifies('cli.ask.schema');
    const { code, stderr } = await ask(['--schema', given, 'x']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--schema')]);
  });
});

test.each([
  ['text\n\n```js\nlet a;\n```\nmore\n```\nb\n```', 'let a;\n'],
  ['~~~\n```\n~~~', '```\n'],
  ['  ```\n  a\n    b\n  ```', 'a\n  b\n'],
  ['````\n```\n````', '```\n'],
  ['```\nopen', 'open\n'],
  ['```\n```', ''],
  ['a ```b``` c', undefined],
  ['```a`b```\nx', undefined],
])('-x takes the first code block of %j', (answer, code) => {
  verifies('cli.ask.extract');
  expect(firstCodeBlock(answer)).toBe(code);
});

test('-x prints the code alone, and the whole answer with a note where there is none', async () => {
  verifies('cli.ask.extract');
  replies.push({ text: 'Here:\n```sh\nls -l\n```\nDone.' }, { text: 'No code.' });
  expect((await ask(['-x', 'list'])).stdout).toBe('ls -l\n');
  const without = await ask(['-x', 'list']);
  expect(without.stdout).toBe('No code.\n');
  expect(without.stderr).toContain('note: the answer has no code block');
});

describe('-t and --role', () => {
  const settings = '.config/prompt-agent';
  const files = {
    [`${settings}/templates/translate.yaml`]: [
      'system: You translate to $language.',
      'prompt: "Translate, for $$1: ${input}"',
      'model: t',
      'defaults: { language: French }',
    ].join('\n'),
    [`${settings}/templates/short.yaml`]: 'prompt: Be short.\n',
    [`${settings}/templates/dollars.yaml`]: 'prompt: In $$input?\n',
    [`${settings}/templates/wrong.yaml`]: 'promt: hi\n',
    [`${settings}/templates/broken.yaml`]: 'prompt: [',
    [`${settings}/templates/needs.yaml`]: 'prompt: $subject\n',
    [`${settings}/roles/pirate.md`]: 'You are a pirate.\n',
  };

  test('a dollar sign before the name of the prompt does not swallow the prompt', async () => {
    verifies('cli.ask.templates');
    await ask(['-t', 'dollars', 'of apples'], { cwd: workspace(files) });
    expect(sent()).toBe('In $input?\n\nof apples');
  });

  test('a template fills in its variables, gives a system prompt and a model', async () => {
    verifies('cli.ask.templates');
    const cwd = workspace(files);
    const plain = ['--base-url', server().baseUrl];
    await promptHere([...plain, '-t', 'translate', 'hello'], { cwd });
    expect(messages()).toEqual([
      { role: 'system', content: 'You translate to French.' },
      { role: 'user', content: 'Translate, for $1: hello' },
    ]);
    expect(server().requests.at(-1)?.body).toMatchObject({ model: 't' });
    await promptHere([...plain, '-m', 'own', '-t', 'translate', '--var', 'language=Dutch=x'], { cwd, input: 'hi' });
    expect(messages()).toEqual([
      { role: 'system', content: 'You translate to Dutch=x.' },
      { role: 'user', content: 'Translate, for $1: hi' },
    ]);
    expect(server().requests.at(-1)?.body).toMatchObject({ model: 'own' });
    await ask(['-t', 'short', 'what is it?'], { cwd });
    expect(sent()).toBe('Be short.\n\nwhat is it?');
  });

  test('a role is a system prompt', async () => {
    verifies('cli.ask.roles');
    await ask(['--role', 'pirate', 'hi'], { cwd: workspace(files) });
    expect(messages()[0]).toEqual({ role: 'system', content: 'You are a pirate.' });
  });

  test.each([
    [['-t', 'trnslate', 'x'], 'did you mean translate?'],
    [['-t', '../config', 'x'], '-t: "../config" is not in'],
    [['-t', 'wrong', 'x'], 'wrong.yaml: there is no key "promt"; did you mean "prompt"?'],
    [['-t', 'broken', 'x'], 'broken.yaml is not valid YAML'],
    [['-t', 'needs', 'x'], '--var subject=VALUE'],
    [['-t', 'needs', '--var', 'subject', 'x'], '--var "subject" must be NAME=VALUE'],
    [['--role', 'pilot', 'x'], 'there are pirate'],
  ])('%j exits 2', async (args, named) => {
    verifies('cli.ask.templates', 'cli.ask.roles');
    const { code, stderr } = await ask(args, { cwd: workspace(files) });
    expect([code, stderr]).toEqual([2, expect.stringContaining(named)]);
  });
});

test('--record writes what --replay answers from, without the key and without a server', async () => {
  verifies('cli.replay');
  const cwd = workspace();
  const key = 'sk-test-0123456789abcdefghij';
  await ask(['--token', key, '--record', 'tape.json', 'hi'], { cwd });
  await server().close();
  const { code, stdout } = await promptHere(['--replay', 'tape.json', 'hi'], { cwd });
  expect([code, stdout]).toEqual([0, 'ok\n']);
  expect(readFileSync(join(cwd, 'tape.json'), 'utf8')).not.toContain(key);
  const other = await promptHere(['--replay', 'tape.json', 'something else'], { cwd });
  expect(other.code).toBe(1);
});

test('--max-cost ends the run when the tokens have cost as much', async () => {
  verifies('cli.limits');
  const call = {
    calls: [{ id: 'c1', name: 'calculate', arguments: { expression: '1+1' } }],
    usage: { inputTokens: 500_000, outputTokens: 0 },
  };
  replies.push(call, call, call);
  const { code, stderr } = await ask(['--price', '1,2', '--max-cost', '0.75', 'x']);
  expect(code).toBe(5);
  expect(stderr).toContain('limit (cost)');
  expect(server().requests).toHaveLength(2);
});

test('--max-cost without a price exits 2 and says how a price is given', async () => {
  verifies('cli.limits');
  const { code, stderr } = await promptHere(['--max-cost', '1', '2+2']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--max-cost needs --price IN,OUT, or model.prices')]);
});
