import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { EDITED, NEW_FILE, PROJECT, runCodeAgent } from './fixtures/code-agent.ts';

/** A small repository with a test that fails for a wrong reason. */
async function project(): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'code-agent-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(PROJECT)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', root, ...args], { stdio: 'ignore' });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'begin');
  return root;
}

test('an agent finds, edits three files, runs the tests, reads the failure and mends it', async () => {
  verifies('toolbox.agent.edits');
  const root = await project();
  const { asked, result } = await runCodeAgent(root);
  expect(result.reason).toBe('done');
  const outputs = result.toolCalls.map(({ call, result: { forLLM } }) => [call.name, forLLM] as const);
  // The first run of the tests fails, the second passes.
  const runs = outputs.filter(([name]) => name === 'run_command').map(([, text]) => text);
  expect(runs[0]).toContain('price(2, 10)');
  expect(runs[0]).toMatch(/Exit code 1/);
  expect(runs[1]).toMatch(/Exit code 0/);
  expect(runs[2]).toContain('src/tax.mjs');
  for (const [path, content] of Object.entries(EDITED))
    expect([path, await readFile(join(root, path), 'utf8')]).toEqual([path, content]);
  expect(await readFile(join(root, NEW_FILE), 'utf8')).toContain('discount');
  // The rules of the mode let it look at the repository; everything else was asked about.
  expect(asked).toEqual(['apply_patch', 'edit_file', 'write_file', 'run_command', 'edit_file', 'run_command']);
});

test('a kill at any point leaves every file whole, old or new', async () => {
  verifies('toolbox.agent.killed');
  const states: Record<string, ReadonlySet<string>> = Object.fromEntries(
    Object.entries(PROJECT).map(([path, content]) => [path, new Set([content])]),
  );
  const [begun, reference] = [await project(), await project()];
  // What each file is after each call, as the run without a kill has it.
  await runCodeAgent(reference, async () => {
    for (const path of await listFiles(reference))
      states[path] = new Set([...(states[path] ?? []), await readFile(join(reference, path), 'utf8')]);
  });
  const program = new URL('fixtures/killed-code-agent.ts', import.meta.url);
  let killed = 0;
  for (let round = 0; round < 6; round += 1) {
    const root = await realpath(temporaryFolder('code-agent'));
    await cp(begun, root, { recursive: true });
    // What a killed process leaves in the temp folder goes with the test.
    const env = { ...process.env, TMPDIR: temporaryFolder('killed') };
    const child = fork(program, [root], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    // From the moment in which it begins: in the middle of calls, between them, and after the last.
    await once(child, 'message');
    await new Promise((resolve) => setTimeout(resolve, round * 30));
    if (child.exitCode === null && child.kill('SIGKILL')) {
      killed += 1;
      await once(child, 'exit');
    }
    for (const path of await listFiles(root)) {
      const content = await readFile(join(root, path), 'utf8');
      expect([round, path, states[path]?.has(content)]).toEqual([round, path, true]);
    }
  }
  expect(killed).toBeGreaterThan(3);
});

/** The files of a project without those of Git, and without what a killed write leaves beside its file. */
async function listFiles(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.git') && !entry.name.startsWith('.toolbox-'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
