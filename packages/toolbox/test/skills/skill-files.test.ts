import { symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { loadSkills } from '../../src/skills/index.ts';
import { skillFolder, skillMd } from './support.ts';

const TEXT = skillMd('name: build\ndescription: Builds it.');

async function open(from: 'user' | 'project') {
  const folder = skillFolder('build', TEXT, { 'docs/deep/guide.md': 'guide', '.env': 'KEY=1', 'run.sh': 'run' });
  if (from === 'user') symlinkSync('/etc/passwd', join(folder, 'passwd'));
  const skills = await loadSkills({ folders: [{ path: dirname(folder), from }], approve: () => true });
  return { folder, skills, files: skills.files() };
}

test.each(['user', 'project'] as const)(
  'the files of skills of a %s are one tree, without credentials and links',
  async (from) => {
    verifies('toolbox.skills.files');
    const { files } = await open(from);
    expect(await files.list('')).toEqual([{ name: 'build', kind: 'directory' }]);
    expect(await files.list('build')).toEqual([
      { name: 'SKILL.md', kind: 'file' },
      { name: 'docs', kind: 'directory' },
      { name: 'run.sh', kind: 'file' },
    ]);
    expect(await files.list('build/docs/deep')).toEqual([{ name: 'guide.md', kind: 'file' }]);
    expect(new TextDecoder().decode(await files.read('build/docs/deep/guide.md'))).toBe('guide');
    for (const path of ['build/.env', 'build/passwd', 'build/../build/run.sh', 'other/SKILL.md', 'build/docs', 'build'])
      await expect(files.read(path)).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  },
);

test('a file of a project that has changed since it was approved is not read', async () => {
  verifies('toolbox.skills.files');
  const { files, folder } = await open('project');
  writeFileSync(join(folder, 'run.sh'), 'other');
  await expect(files.read('build/run.sh')).rejects.toThrow('has changed since the user approved it');
});
