import { readFileSync } from 'node:fs';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { COMMAND_NAMES, commandSpec } from '../src/options/commands.ts';
import { FLAG_NAMES, FLAGS, specOf } from '../src/options/flags.ts';
import { promptHere, workspace } from './program.ts';

test('flags take one dash or two, and = or a space; the prompt is a flag or the rest', async () => {
  verifies('cli.flags');
  const cwd = workspace();
  for (const args of [
    ['-prompt', '2+2'],
    ['--prompt', '2+2'],
    ['-prompt=2+2'],
    ['--prompt=2+2'],
    ['2+2'],
    ['what', 'is', '2+2'],
    ['-stream', '2+2'],
    ['-stream=false', '--prompt', '2+2'],
    ['--provider=offline', '-workspace', '.', '--', '2+2'],
    ['-prompt', '-1 + 5'],
    ['-1 + 5'],
  ]) {
    const { code, stdout } = await promptHere(args, { cwd });
    expect([args, code, stdout]).toEqual([args, 0, '4\n']);
  }
});

test.each([
  [[], 'prompt is missing'],
  [['-protocol', 'chat'], 'prompt is missing'],
  [['-protocol', 'vision', 'hi'], '--images'],
  [['-protocol', 'tools', 'hi'], '--tools-file'],
  [['-protocol', 'audio'], '--audio'],
  [['-protocol', 'telepathy', 'hi'], '--protocol'],
  [['-protocol', 'constructor', 'hi'], '--protocol'],
  [['--nonsense', 'hi'], '--nonsense'],
  [['--toString', 'hi'], '--toString'],
  [['hi', '--model'], '--model'],
  [['--stream=maybe', 'hi'], '--stream'],
  [['--prompt', 'a', 'b'], '--prompt'],
  [['--max-turns', 'x', 'hi'], '--max-turns'],
  [['--max-time', 'soon', 'hi'], '--max-time'],
  [['--max-cost', 'x', '--price', '1,2', 'hi'], '--max-cost'],
  [['--max-cost', '1', '--price', 'cheap', 'hi'], '--price'],
  [['--role', 'pirate', '-s', 'x', 'hi'], '--role'],
  [['--var', 'a=b', 'hi'], '--var'],
  [['--record', 'a', '--replay', 'b', 'hi'], '--record'],
  [['--replay', 'none.json', 'hi'], 'none.json'],
  [['   '], 'prompt is missing'],
  [['--prompt', ' '], 'prompt is missing'],
  [['--provider', 'openay', 'hi'], 'Known: anthropic, '],
  [['--provider', 'constructor', 'hi'], 'No provider is named "constructor"'],
  [['--provider', 'azure', '--base-url', 'http://127.0.0.1:9', 'hi'], 'deployment'],
  [['--provider', 'openai', '-protocol', 'chat', '--base-url', 'nowhere', 'hi'], 'baseUrl'],
])('%j exits 2 with a line that names the flag', async (args, named) => {
  verifies('cli.required', 'cli.exit');
  const { code, stdout, stderr } = await promptHere(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.split('\n')[0]).toMatch(/^prompt-agent: /);
  expect(stderr).toContain(named);
});

test('each command refuses a wrong value of each flag that it takes, and says what is wrong with it', async () => {
  verifies('cli.required');
  const checked = FLAG_NAMES.filter((flag) => specOf(flag).refusal !== undefined || specOf(flag).oneOf !== undefined);
  expect(checked.length).toBeGreaterThan(12);
  for (const name of COMMAND_NAMES)
    for (const flag of commandSpec(name).flags.filter((each) => checked.includes(each))) {
      // Neither a number, a name of a session nor one of a list; a path has none but the empty text.
      const wrong = flag === 'journal' ? '' : '?';
      // oxlint-disable-next-line no-await-in-loop -- in this process
      const { code, stdout, stderr } = await promptHere([...name.split(' '), `--${flag}`, wrong]);
      expect([name, flag, code, stdout]).toEqual([name, flag, 2, '']);
      expect(stderr).toMatch(new RegExp(String.raw`^prompt-agent: --${flag} "\??" (?:must|is) .*\.\n$`));
    }
});

test('a flag needs and excludes flags that there are, and the message names both', async () => {
  verifies('cli.required');
  const names = FLAG_NAMES.flatMap((flag) => {
    const { aliasOf, excludes = {}, needs } = specOf(flag);
    return [...Object.keys(excludes), aliasOf ?? flag, needs?.[0].split(' ')[0] ?? flag];
  });
  expect(names.filter((name) => !Object.hasOwn(FLAGS, name))).toEqual([]);
  for (const [args, said] of [
    [['--mode', 'plan', 'hi'], '--mode needs --bundle, whose tools it limits.'],
    [['chat', '--sandbox', 'off', '--bundle', 'blog_agent'], '--sandbox needs --bundle code_agent, whose commands it'],
    [
      ['serve', 'http', '--execute'],
      '--execute needs --tools, a module or an MCP server whose tools it runs, or servers',
    ],
    [['--json', '--json-lines', 'hi'], '--json and --json-lines exclude each other.'],
    [['chat', '--role', 'x', '-s', 'y'], '--role and --system-prompt exclude each other: a role is a system prompt.'],
  ] as const)
    // oxlint-disable-next-line no-await-in-loop -- in this process
    expect(await promptHere(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
});

test('--max-iterations is another name for --max-turns, which comes before it, and -1 leaves both to the config', async () => {
  verifies('cli.run');
  const shown = async (...args: string[]): Promise<unknown> => {
    const { stdout } = await promptHere(['config', 'show', '--json', ...args]);
    return (JSON.parse(stdout) as readonly { readonly name: string }[]).find(({ name }) => name === 'max turns');
  };
  expect(await shown()).toEqual({ name: 'max turns', value: '25', from: 'default' });
  expect(await shown('--max-iterations', '7')).toEqual({ name: 'max turns', value: '7', from: '--max-turns' });
  expect(await shown('--max-turns', '3', '--max-iterations', '7')).toMatchObject({ value: '3' });
  expect(await shown('--max-iterations', '-1')).toMatchObject({ value: '25', from: 'default' });
});

test('a flag without effect for the protocol warns', async () => {
  verifies('cli.required');
  const { code, stdout, stderr } = await promptHere(['--audio', 'x.wav', '--tools-file', 'y.json', '2+2']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '4\n' });
  expect(stderr).toContain('warning: --audio has no effect without --protocol');
  expect(stderr).toContain('warning: --tools-file has no effect');
});

test('--help fits a screen and shows every command, COMMAND --help its flags and examples; --version prints the version', async () => {
  verifies('cli.flags', 'cli.commands.help');
  for (const args of [['--help'], ['-h']]) {
    const { code, stdout, stderr } = await promptHere(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(lines.length).toBeLessThan(50);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    for (const name of COMMAND_NAMES) expect(stdout).toContain(`  ${name.split(' ')[0]}`);
    for (const example of commandSpec('ask').examples) expect(stdout).toContain(`prompt-agent ${example}`);
  }
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const documented = new Set<string>();
  // Another name for a flag is accepted, and not advertised.
  const advertised = Object.entries(FLAGS).flatMap(([flag, spec]) => ('aliasOf' in spec ? [] : [flag]));
  for (const name of COMMAND_NAMES) {
    const { code, stdout } = await promptHere([...name.split(' '), '--help']);
    expect(code).toBe(0);
    for (const flag of commandSpec(name).flags.filter((each) => advertised.includes(each)))
      expect(stdout).toContain(`--${flag}`);
    for (const [flag] of stdout.matchAll(/--[a-z-]{3,}/g)) {
      documented.add(flag.slice(2));
      expect(readme).toContain(flag);
    }
  }
  expect([...documented].toSorted()).toEqual(advertised.toSorted());
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  expect((await promptHere(['--version'])).stdout).toBe(`${manifest.version}\n`);
});

test.each([
  [['--provder', 'x', 'hi'], 'Did you mean --provider?'],
  [['asks'], 'did you mean ask?'],
])('%j is answered with the name that was probably meant', async (args, hint) => {
  verifies('cli.commands.near');
  const { code, stderr } = await promptHere(args);
  expect(code).toBe(2);
  expect(stderr).toContain(hint);
});
