import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { expectLinear, workOf } from '../../../test/setup/growth.ts';
import { nearestLine } from '../src/files/edit/find-alike.ts';
import { applyPatchTool, editFileTool, searchTextTool } from '../src/files/index.ts';
import { memoryTool, noteTools } from '../src/memory/index.ts';
import { permissions } from '../src/permissions/index.ts';
import { parseSkill } from '../src/skills/parse-skill.ts';
import { memoryWorkspace, type Workspace } from '../src/workspace/index.ts';
import { compileGlob } from '../src/workspace/glob.ts';
import { caller } from './memory/support.ts';
import { skillMd } from './skills/support.ts';

const context = { signal: new AbortController().signal, callId: '1', toolName: 'x' };

async function patch(workspace: Workspace, lines: readonly string[]) {
  const text = ['*** Begin Patch', '*** Update File: a', ...lines, '*** End Patch'].join('\n');
  return applyPatchTool(workspace).handler({ patch: text } as never, context);
}

const edit = async (workspace: Workspace, edits: readonly object[]) =>
  editFileTool(workspace).handler({ path: 'a', edits } as never, context);

describe('a file is edited in linear time', () => {
  test('at its end, for at most twenty units of work a character', async () => {
    verifies('toolbox.files.cost');
    const make = (size: number): Workspace => memoryWorkspace({ a: `${'some text\n'.repeat(size / 10)}the end\n` });
    const work = (workspace: Workspace) => edit(workspace, [{ old_text: 'the end', new_text: 'THE END' }]);
    await expectLinear({ make, work, largest: 65_536 });
    const workspace = make(65_536);
    expect(await workOf(() => work(workspace))).toBeLessThan(20 * 65_536);
  });

  test('where it repeats almost all of what is looked for', async () => {
    verifies('toolbox.files.cost');
    const make = (size: number) => {
      const half = 'a'.repeat(size / 64);
      return { text: 'a'.repeat(size), edits: [{ old_text: `${half}b${half}`, new_text: 'c' }] };
    };
    const work = ({ edits, text }: ReturnType<typeof make>) => edit(memoryWorkspace({ a: text }), edits).catch(String);
    expect(await work(make(4096))).toContain('is not in the file');
    await expectLinear({ make, work, largest: 131_072 });
  });

  test('where a text on one line is replaced everywhere', async () => {
    verifies('toolbox.files.cost');
    const edits = [{ old_text: 'ab', new_text: 'cd', replace_all: true }];
    const work = (text: string) => edit(memoryWorkspace({ a: text }), edits);
    // The difference shows longer lines in part.
    await expectLinear({ make: (count) => 'ab,x,'.repeat(count), work, largest: 1024 });
  });

  test('by a patch of lines that are all the same', async () => {
    verifies('toolbox.files.cost');
    const make = (count: number) => ({
      file: `x\n${'\n'.repeat(count)}`,
      lines: ['@@', ...Array<string>(count / 4).fill(' '), '-x', '+y'],
    });
    const work = ({ file, lines }: ReturnType<typeof make>) => patch(memoryWorkspace({ a: file }), lines).catch(String);
    await expectLinear({ make, work });
  });

  test('when the line most like another one is looked for', async () => {
    const make = (size: number): string => 'some line of text\n'.repeat(size / 18);
    await expectLinear({ make, work: (text) => nearestLine(text, 'same lime'), largest: 16_384 });
  });
});

test('files are searched in linear time, for at most six units of work a character', async () => {
  const text = 'export const value = 1;\n'.repeat(40);
  const make = (size: number): Workspace =>
    memoryWorkspace(Object.fromEntries(Array.from({ length: size }, (_, at) => [`f${at}.ts`, text])));
  const work = (workspace: Workspace) =>
    createRegistry([searchTextTool(workspace, { ripgrep: false })]).execute('search_text', { query: 'the needle' });
  await expectLinear({ make, work, largest: 512 });
  const workspace = make(512);
  expect(await workOf(() => work(workspace))).toBeLessThan(6 * 512 * text.length);
});

describe('memory', () => {
  test('a text that occurs too often is found in linear time', async () => {
    await expectLinear({
      make: (size) => caller(memoryTool(memoryWorkspace({ a: 'x'.repeat(size) }))),
      work: (call) => call('memory', { command: 'str_replace', path: '/memories/a', old_str: 'x', new_str: 'y' }),
      largest: 65_536,
    });
  });

  test('notes are searched in linear time', async () => {
    await expectLinear({
      make: (size) => {
        const files = Array.from({ length: size }, (_, index) => [`notes/n${index}.md`, `note number ${index} on tea`]);
        return caller(...noteTools(memoryWorkspace(Object.fromEntries(files)), { maxEntries: 100_000 }));
      },
      work: (call) => call('recall', { query: 'tea' }),
      largest: 1024,
    });
  });
});

describe('permissions', () => {
  const open = permissions([{ allow: '*' }, { deny: 'run_command(git push *)' }, { deny: '*(**/.env)' }]);
  test.each(
    ['git ', '-exec a ; ', 'xargs ', 'sudo ', '$(', '`', '\\\n', '"$x', 'a=b,c:d;', "bash -c '"].flatMap((part) => [
      [part, 'bash', (text: string) => ['bash', '-c', text]] as const,
      [part, 'find', (text: string) => ['find', ...text.split(' ')]] as const,
      [part, 'sudo', (text: string) => ['sudo', text]] as const,
    ]),
  )('decide in linear time where %j is repeated in %s', async (part, _, toCommand) => {
    const work = (command: readonly string[]): unknown => open.decide('run_command', { command });
    await expectLinear({ make: (size) => toCommand(part.repeat(Math.floor(size / part.length))), work });
  });

  test.each<readonly [string, (size: number) => object]>([
    ['run_command', (size) => ({ command: ['bash', '-c', 'a "x" z; '.repeat(size / 8)] })],
    ['write_file', (size) => ({ path: 'a'.repeat(size) })],
    ['run_command', (size) => ({ command: Array.from({ length: size / 64 }, () => 'a'.repeat(64)) })],
  ])('decide about %s in time linear in the arguments', async (name, make) => {
    const policy = permissions([{ deny: '*(**/*a*a*a*a*b)' }, { allow: 'run_command(a* *)' }]);
    // A longer text is asked about unread.
    await expectLinear({ make, work: (input) => policy.decide(name, input as never), largest: 1024 });
  });
});

test.each([
  [`${'*a'.repeat(200)}b`, 'a'],
  [`${'**/a/'.repeat(100)}b`, 'a/'],
])('the hostile glob %.10s takes linear time', async (glob, unit) => {
  verifies('toolbox.glob');
  const matches = compileGlob(glob);
  expect(matches(unit.repeat(2000))).toBe(false);
  await expectLinear({ make: (size) => unit.repeat(size), work: matches });
});

describe('a hostile SKILL.md', () => {
  const head = (more: string) => skillMd(`name: a\ndescription: d\n${more}`);
  const bomb = ['a0: &a0 x', ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)];
  test.each([
    ['aliases that multiply', head(bomb.join('\n'))],
    ['brackets without end', head('['.repeat(16_000))],
    ['brackets and their ends', head(`metadata: ${'['.repeat(8000)}${']'.repeat(8000)}`)],
    ['braces', head(`metadata: ${'{a: '.repeat(4000)}`)],
    ['indents', head(Array.from({ length: 170 }, (_, i) => `${' '.repeat(i)}k:`).join('\n'))],
    ['dashes', head(`metadata: \n${'- '.repeat(7000)}`)],
    ['many keys', head(Array.from({ length: 2000 }, (_, i) => `k${i}:`).join('\n'))],
    ['a head without end', `---\n${'x: y\n'.repeat(1_000_000)}`],
  ])('of %s is an error after little work', async (_, content) => {
    verifies('toolbox.skills.hostile');
    const work = async (): Promise<void> => {
      const { errors, unknown } = await parseSkill(content, 'a');
      expect([...errors, ...unknown]).not.toEqual([]);
    };
    expect(await workOf(work)).toBeLessThan(3_000_000);
  });

  test.each<readonly [string, (size: number) => string]>([
    ['keys', (size) => head(`metadata:\n${Array.from({ length: size / 16 }, (_, i) => `  k${i}: v`).join('\n')}`)],
    ['tools', (size) => `---\nname: a\ndescription: d\nallowed-tools: ${'Bash(( '.repeat(size / 7)}\n---\n`],
  ])('of many %s is read in linear time', async (_, make) => {
    verifies('toolbox.skills.hostile');
    await expectLinear({ make, work: (text) => parseSkill(text, 'a'), largest: 8192 });
  });
});
