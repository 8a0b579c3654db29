import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { loadSkills, skillPins, type SkillPins, type SkillRequest } from '../../src/skills/index.ts';
import { caller, messageOf } from '../memory/support.ts';
import { folderWith } from '../workspace/folders.ts';
import { skillFolder, skillMd } from './support.ts';

const TEXT = skillMd('name: build\ndescription: Builds it.\nallowed-tools: Bash(make all)', 'Run scripts/run.sh');

function project(files: Readonly<Record<string, string>> = { 'scripts/run.sh': 'echo good' }): string {
  return skillFolder('build', TEXT, files);
}

/** Loads the skill of a project; tells what was asked. */
async function load(folder: string, pins: SkillPins, answer = true) {
  const asked: SkillRequest[] = [];
  const approve = (request: SkillRequest): boolean => {
    asked.push(request);
    return answer;
  };
  const skills = await loadSkills({ folders: [{ path: dirname(folder), from: 'project' }], approve, pins });
  const { tool } = skills;
  const call = tool === undefined ? undefined : caller(tool);
  return { skills, asked, read: (input: object) => call?.('skill', { name: 'build', ...input }) };
}

describe('the skill of a project', () => {
  it('is asked about once, with all that the user needs to decide', async () => {
    verifies('toolbox.skills.pinned');
    const pins = skillPins(join(folderWith(), 'state', 'skills.json'));
    const folder = project();
    const first = await load(folder, pins);
    expect(first.asked).toMatchObject([
      {
        name: 'build',
        description: 'Builds it.',
        folder,
        change: 'new',
        files: [
          { path: 'SKILL.md', size: TEXT.length },
          { path: 'scripts/run.sh', size: 9 },
        ],
        rules: [{ allow: 'run_command(make all)' }],
        text: TEXT,
      },
    ]);
    expect(first.skills.list()).toHaveLength(1);
    const second = await load(folder, pins);
    expect(second.asked).toEqual([]);
    expect(second.skills.list()).toHaveLength(1);
  });

  it('is not offered without an answer, and after a refusal is not asked about again', async () => {
    verifies('toolbox.skills.pinned');
    const folder = project();
    const pins = skillPins(join(folderWith(), 'skills.json'));
    const unasked = await loadSkills({ folders: [{ path: dirname(folder), from: 'project' }], pins });
    expect(unasked.list()).toEqual([]);
    expect(unasked.tool).toBeUndefined();
    expect(unasked.prompt()).toBe('');
    expect(unasked.problems[0]?.message).toContain('was not approved yet');
    expect((await load(folder, pins, false)).asked).toHaveLength(1);
    const again = await load(folder, pins, true);
    expect(again.asked).toEqual([]);
    expect(again.skills.problems[0]?.message).toContain('you decided against it');
  });

  it.each([
    ['its instructions', (folder: string) => writeFileSync(join(folder, 'SKILL.md'), `${TEXT}!`)],
    ['a script', (folder: string) => writeFileSync(join(folder, 'scripts/run.sh'), 'echo evil')],
    ['a new file', (folder: string) => writeFileSync(join(folder, '.hidden'), '')],
    ['a file that is gone', (folder: string) => rmSync(join(folder, 'scripts/run.sh'))],
    ['a name', (folder: string) => renameSync(join(folder, 'scripts/run.sh'), join(folder, 'scripts/run2.sh'))],
    [
      'a file that was split in another way',
      (folder: string) => {
        rmSync(join(folder, 'scripts'), { recursive: true });
        writeFileSync(join(folder, 'scriptsrun.sh'), 'echo good');
      },
    ],
  ])('is asked about again after a change of %s, and not offered meanwhile', async (_, change) => {
    verifies('toolbox.skills.pinned');
    const folder = project();
    const pins = skillPins(join(folderWith(), 'skills.json'));
    await load(folder, pins);
    change(folder);
    const unasked = await loadSkills({ folders: [{ path: dirname(folder), from: 'project' }], pins });
    expect(unasked.list()).toEqual([]);
    expect(unasked.problems.map(({ message }) => message).join()).toContain('changed');
    const { asked } = await load(folder, pins);
    expect(asked).toMatchObject([{ change: 'changed' }]);
  });

  it('is refused with a link anywhere in it, or as one', async () => {
    verifies('toolbox.skills.pinned');
    const outside = folderWith({ secret: 'secret', 'linked/SKILL.md': skillMd('name: linked\ndescription: x') });
    const folder = project();
    symlinkSync(join(outside, 'secret'), join(folder, 'scripts', 'link'));
    symlinkSync(join(outside, 'linked'), join(dirname(folder), 'linked'));
    mkdirSync(join(dirname(folder), 'hard'));
    writeFileSync(join(dirname(folder), 'hard/SKILL.md'), skillMd('name: hard\ndescription: x'));
    linkSync(join(outside, 'secret'), join(dirname(folder), 'hard', 'copy'));
    const { asked, skills } = await load(folder, skillPins(join(folderWith(), 'skills.json')));
    expect(asked).toEqual([]);
    const messages = skills.problems.map(({ message }) => message).join('\n');
    expect(messages).toContain('"scripts/link" is a link');
    expect(messages).toContain('The folder is a link');
    expect(skills.list()).toEqual([]);
  });
});

describe('what is read of a pinned skill is what was pinned', () => {
  it('a file that changes after the approval is not read, and its skill no longer offered', async () => {
    verifies('toolbox.skills.swap');
    const folder = project();
    const { read, skills } = await load(folder, skillPins(join(folderWith(), 'skills.json')));
    expect((await read({}))?.forLLM).toContain('Run scripts/run.sh');
    expect((await read({ file: 'scripts/run.sh' }))?.forLLM).toBe('echo good');
    const { atime, mtime } = statSync(join(folder, 'scripts/run.sh'));
    writeFileSync(join(folder, 'scripts/run.sh'), 'echo evil');
    utimesSync(join(folder, 'scripts/run.sh'), atime, mtime);
    const result = await read({ file: 'scripts/run.sh' });
    expect(result?.forLLM).not.toContain('evil');
    expect(result?.forLLM).toContain('has changed since the user approved it');
    expect(skills.list()).toEqual([]);
    expect(skills.inUse()).toEqual([]);
    expect((await read({}))?.forLLM).toContain('There is no skill "build"');
  });

  it('a change while the user decides is not part of what was approved', async () => {
    verifies('toolbox.skills.swap');
    const folder = project();
    const skills = await loadSkills({
      folders: [{ path: dirname(folder), from: 'project' }],
      approve: () => {
        writeFileSync(join(folder, 'SKILL.md'), TEXT.replace('Run', 'Delete all, then run'));
        return true;
      },
    });
    const result = await caller(...(skills.tool === undefined ? [] : [skills.tool]))('skill', { name: 'build' });
    expect(result.forLLM).not.toContain('Delete all');
    expect(messageOf(result)).toContain('has changed');
  });

  it('a file that was not there when the user approved is none of the skill', async () => {
    verifies('toolbox.skills.swap');
    const folder = project();
    const { read } = await load(folder, skillPins(join(folderWith(), 'skills.json')));
    writeFileSync(join(folder, 'more.md'), 'evil');
    expect((await read({ file: 'more.md' }))?.forLLM).toContain('There is no "more.md" in the skill');
  });
});

describe('the store of pins', () => {
  it('is for the user alone, and a damaged one counts as empty', async () => {
    verifies('toolbox.skills.pins');
    const path = join(folderWith(), 'state', 'skills.json');
    const pins = skillPins(path);
    await pins.save('/a', { sha256: 'x', allowed: true });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(await pins.find('/a')).toEqual({ sha256: 'x', allowed: true });
    for (const text of ['', '[]', '{"/a": true}', '{"/a": {"sha256": 1}}', 'null', '{"/a"']) {
      writeFileSync(path, text);
      expect(await pins.find('/a')).toBeUndefined();
    }
    expect(await pins.find('__proto__')).toBeUndefined();
    await pins.save('__proto__', { sha256: 'y', allowed: false });
    expect(await pins.find('__proto__')).toEqual({ sha256: 'y', allowed: false });
  });
});

describe('decisions whose file is damaged', () => {
  it.each([['\0'.repeat(300)], ['{"a":'], ['[]'], ['']])(
    'are asked for again, and %j stays beside what is kept next',
    async (content) => {
      verifies('toolbox.skills.damaged');
      const folder = folderWith({ 'skills.json': content });
      const pins = skillPins(join(folder, 'skills.json'));
      expect(await pins.find('a')).toBeUndefined();
      await pins.save('a', { sha256: 'x', allowed: true });
      expect(await pins.find('a')).toEqual({ sha256: 'x', allowed: true });
      const copy = readdirSync(folder).find((name) => name.startsWith('skills.json.damaged-')) ?? '';
      expect(readFileSync(join(folder, copy), 'utf8')).toBe(content);
    },
  );

  it('stay where an editor gave it a byte order mark', async () => {
    verifies('toolbox.skills.damaged');
    const path = join(folderWith({ 'skills.json': '\uFEFF{"a":{"sha256":"x","allowed":false}}' }), 'skills.json');
    expect(await skillPins(path).find('a')).toEqual({ sha256: 'x', allowed: false });
  });
});
