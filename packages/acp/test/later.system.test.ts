import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import type { Workspace } from '@kernel/toolbox/workspace';
import { expect, test } from 'vitest';
import type { Step } from './fixtures/scripted-steps.ts';
import { commands, deciding, fileOf, give, inOwnProcess, inputOf, project, scripted } from './support.ts';

/** Has an agent make changes that are decided on later, does something meanwhile, and then allows them in another process: without the agent. */
async function decideLater(
  workspace: Workspace,
  steps: readonly Step[],
  { meanwhile, edit }: { meanwhile?: () => void; edit?: (input: Record<string, unknown>) => object } = {},
) {
  const { approve, asked } = deciding(() => ({ decision: 'later' }));
  const first = await give(scripted({ workspace }), steps, { approve });
  expect(first.end.reason).toBe('approval');
  meanwhile?.();
  const messages = JSON.parse(JSON.stringify(first.end.messages)) as readonly Message[];
  const gone = inOwnProcess({ workspace, command: '/no/such/agent' });
  const { approve: decide } = deciding((call) =>
    edit === undefined ? { decision: 'allow' } : { decision: 'edit', arguments: JSON.stringify(edit(inputOf(call))) },
  );
  const { text } = await give(gone, [], { approve: decide, messages });
  return { text, asked };
}

const pathIn = (workspace: Workspace, path: string): string => join(workspace.folder ?? '', path);

test('what has changed while a decision waited is named and stays as it is, also what was to be removed, and the rest is made', async () => {
  verifies('acp.conflicts');
  const workspace = await project({ 'a.txt': 'one\n', 'gone.txt': 'x\n', 'old.txt': 'x\n', 'mode.sh': 'x\n' });
  const steps = [
    {
      disk: {
        'a.txt': 'two\n',
        'old.txt': null,
        'gone.txt': null,
        'new.txt': 'theirs\n',
        'b.txt': 'b\n',
        'mode.sh': 'y\n',
      },
    },
  ];
  const { text } = await decideLater(workspace, steps, {
    meanwhile: () => {
      writeFileSync(pathIn(workspace, 'a.txt'), 'mine\n');
      writeFileSync(pathIn(workspace, 'old.txt'), 'precious\n');
      writeFileSync(pathIn(workspace, 'new.txt'), 'mine\n');
      chmodSync(pathIn(workspace, 'mode.sh'), 0o600);
    },
  });
  for (const path of ['a.txt', 'old.txt', 'new.txt', 'mode.sh'])
    expect(text).toContain(`"${path}" has changed in the workspace meanwhile, and was left as it is.`);
  expect(['a.txt', 'old.txt', 'new.txt', 'mode.sh', 'b.txt'].map((path) => fileOf(workspace, path))).toEqual([
    'mine\n',
    'precious\n',
    'mine\n',
    'x\n',
    'b\n',
  ]);
  expect(() => readFileSync(pathIn(workspace, 'gone.txt'))).toThrow('ENOENT');
});

test.skipIf(process.platform === 'win32')(
  'line breaks, a last line without one and modes are made byte for byte by a decision that comes later',
  async () => {
    verifies('acp.later', 'acp.changes');
    const workspace = await project({
      'crlf.txt': 'a\r\nb\nc\r\n',
      'none.txt': 'x',
      'run.sh': 'echo 1\necho 2\n',
      'lf.txt': 'a\nb\n',
    });
    const disk = {
      'crlf.txt': 'a\r\nB\nc\r\nd\n',
      'none.txt': 'x\ny',
      'new.txt': '\uFEFFno end\r\n\r\nlast',
      'new.sh': '#!/bin/sh\n',
      'lf.txt': 'a\r\nb\r\n',
      'returns.txt': 'a\r\r\nb\rc\n',
      'empty.txt': '',
    };
    const steps = [{ disk }, { chmod: 'run.sh', mode: 0o755 }, { chmod: 'new.sh', mode: 0o755 }];
    const { text, asked } = await decideLater(workspace, steps);
    expect(text).not.toContain('left');
    for (const [path, content] of Object.entries(disk))
      expect([path, fileOf(workspace, path)]).toEqual([path, content]);
    const mode = (path: string): number => statSync(pathIn(workspace, path)).mode & 0o777;
    expect([mode('run.sh'), mode('new.sh')]).toEqual([0o755, 0o755]);
    // A mode alone is shown as such: its file as one that is updated, and no line of it as another.
    expect(inputOf(asked[0])['patch']).toContain('*** Update File: run.sh\n@@\n echo 1\n*** ');
    expect(inputOf(asked[0])['files']).toContainEqual(
      expect.objectContaining({ path: 'run.sh', mode: '644', newMode: '755' }),
    );
  },
);

test('of a patch that a person has edited the words hold, for the files that it was about as they were', async () => {
  verifies('acp.later');
  const workspace = await project({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  const steps = [{ disk: { 'a.txt': 'two\n', 'b.txt': 'two\n' } }];
  const { text } = await decideLater(workspace, steps, {
    meanwhile: () => writeFileSync(pathIn(workspace, 'b.txt'), 'mine\n'),
    edit: (input) => ({
      ...input,
      patch: String(input['patch']).replaceAll('+two', '+three').replaceAll('\n', '\r\n'),
    }),
  });
  expect(fileOf(workspace, 'a.txt')).toBe('three\n');
  expect(fileOf(workspace, 'b.txt')).toBe('mine\n');
  expect(text).toContain('"b.txt" has changed in the workspace meanwhile');
});

test('a patch that a person has edited so that it moves a file is refused, with the reason', async () => {
  verifies('acp.later');
  const workspace = await project({ 'a.txt': 'one\n' });
  const { text } = await decideLater(workspace, [{ disk: { 'a.txt': 'two\n' } }], {
    edit: (input) => ({ ...input, patch: String(input['patch']).replace('\n@@', '\n*** Move to: b.txt\n@@') }),
  });
  expect(text).toContain('A patch of an agent cannot move "a.txt".');
  expect(fileOf(workspace, 'a.txt')).toBe('one\n');
});

test('a patch whose words were redacted when it was kept is not written into a file', async () => {
  verifies('acp.later');
  const workspace = await project({ 'a.txt': 'one\n' });
  await decideLater(workspace, [{ disk: { 'a.txt': 'secret\n' } }], {
    edit: (input) => ({ ...input, patch: String(input['patch']).replace('secret', '[redacted]') }),
  });
  expect(fileOf(workspace, 'a.txt')).toBe('one\n');
});

test('a file that a folder has taken the place of, and one that is gone, take no other change with them', async () => {
  verifies('acp.conflicts');
  const workspace = await project({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n' });
  const { text } = await decideLater(workspace, [{ disk: { 'a.txt': 'two\n', 'b.txt': 'two\n', 'c.txt': 'two\n' } }], {
    meanwhile: () => rmSync(pathIn(workspace, 'b.txt')),
  });
  expect(text).toContain('"b.txt" has changed in the workspace meanwhile');
  expect([fileOf(workspace, 'a.txt'), fileOf(workspace, 'c.txt')]).toEqual(['two\n', 'two\n']);
});

/** Has an agent ask for a terminal that is decided on later, and begin anew once that is decided. */
async function terminalLater(decision: 'allow' | 'deny', steps: readonly Step[]) {
  const workspace = await project();
  const { approve } = deciding(() => ({ decision: 'later' }));
  const first = await give(scripted({ workspace, commands }), steps, { approve });
  expect(first.end.reason).toBe('approval');
  const messages = JSON.parse(JSON.stringify(first.end.messages)) as readonly Message[];
  const { approve: decide, asked } = deciding(() => ({ decision, reason: 'Not that one.' }));
  const { text, inner } = await give(scripted({ workspace, commands }), steps, { approve: decide, messages });
  return { text, inner, asked: asked.map(({ name }) => name) };
}

const ECHO = { command: 'sh', args: ['-c', 'echo hi; exit 3'] };

test('a terminal that is allowed later is started by the new agent without a question, and the run sees what came of it', async () => {
  verifies('acp.later');
  const { text, inner, asked } = await terminalLater('allow', [{ terminal: ECHO }, { say: 'Done.' }]);
  expect(asked).toEqual(['run_command']);
  expect(text).toContain('"exitCode":3');
  expect(text).toContain('hi');
  const seen = inner.filter(({ type }) => type.startsWith('server-tool'));
  expect(seen).toEqual([
    expect.objectContaining({ type: 'server-tool-call', name: 'run_command' }),
    expect.objectContaining({ type: 'server-tool-result', name: 'run_command', text: expect.stringContaining('hi') }),
  ]);
  expect(JSON.parse((seen[0] as { readonly arguments: string }).arguments)).toEqual({
    agent: 'helper',
    command: [ECHO.command, ...ECHO.args],
  });
});

test('a server that is allowed later ends with the agent, and the run sees that', async () => {
  verifies('acp.later', 'acp.terminals');
  const server = { command: process.execPath, args: ['-e', 'console.log("up");setInterval(()=>{},9)'] };
  const { inner } = await terminalLater('allow', [{ request: 'terminal/create', params: server }, { say: 'Done.' }]);
  expect(inner.filter(({ type }) => type.startsWith('server-tool'))).toHaveLength(2);
});

test('a terminal that is denied later is not asked about again, and the new agent reads why', async () => {
  verifies('acp.later');
  const { text, asked } = await terminalLater('deny', [{ terminal: ECHO }, { say: 'Done.' }]);
  expect(asked).toEqual(['run_command']);
  expect(text).toContain('Not that one.');
  expect(text).toContain('Done.');
});
