import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { skillPins } from '../../src/skills/index.ts';
import { isChanged, openSkill } from '../../src/skills/open-skill.ts';
import { folderWith } from '../workspace/folders.ts';
import { skillFolder, skillMd } from './support.ts';

const TEXT = skillMd('name: build\ndescription: Builds it.\nallowed-tools: Bash(make all)', 'Run scripts/run.sh');

/** A program that gives a file other contents, other inodes and links, for ever. */
const SWAP = `
const { renameSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const file = process.argv[1];
console.log('ready');
for (let turn = 0; ; turn += 1) {
  const next = file + '.next';
  if (turn % 4 === 3) symlinkSync('../../evil', next);
  else writeFileSync(next, turn % 4 === 1 ? 'echo evil' : 'echo good');
  renameSync(next, file);
  if (turn % 4 === 0) { writeFileSync(file, 'echo evil'); writeFileSync(file, 'echo good'); }
}`;

function project(files: Readonly<Record<string, string>> = { 'scripts/run.sh': 'echo good' }): string {
  return skillFolder('build', TEXT, files);
}

describe('what is read of a pinned skill is what was pinned', () => {
  it('of two thousand reads while another process swaps the file, none returns anything else', async () => {
    verifies('toolbox.skills.swap');
    const folder = project();
    writeFileSync(join(dirname(folder), 'evil'), 'echo evil');
    const result = await openSkill(folder, 'project', { name: 'build', signal: undefined });
    if ('errors' in result) throw new Error(result.errors.join());
    const swapper = spawn(process.execPath, ['-e', SWAP, join(folder, 'scripts/run.sh')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void swapper.kill('SIGKILL'));
    await once(swapper.stdout, 'data');
    const seen = new Map<string, number>();
    const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
    for (let index = 0; index < 2000; index += 1)
      await result.opened.readFile('scripts/run.sh', new AbortController().signal).then(
        (bytes) => count(new TextDecoder().decode(bytes)),
        (error: unknown) => count(isChanged(error) ? 'changed' : String(error)),
      );
    expect([...seen.keys()].toSorted()).toEqual(['changed', 'echo good']);
  }, 60_000);
});

describe('the store of pins', () => {
  it('loses none of what is written at once', async () => {
    verifies('toolbox.skills.pins');
    const path = join(folderWith(), 'skills.json');
    const folders = Array.from({ length: 30 }, (_, index) => `/skill/${index}`);
    await Promise.all(folders.map((folder) => skillPins(path).save(folder, { sha256: folder, allowed: true })));
    for (const folder of folders) expect((await skillPins(path).find(folder))?.sha256).toBe(folder);
  });
});
