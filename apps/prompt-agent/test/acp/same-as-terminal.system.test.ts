import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import { promptHere, workspace } from '../program.ts';
import { inPseudoTerminal } from '../terminals.ts';
import { withEditor } from './editor.ts';

const FILES = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  'sum.js': 'export const sum = (a, b) => a - b;\n',
  'sum.test.js':
    "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from './sum.js';\ntest('adds', () => assert.equal(sum(2, 2), 4));\n",
};
const run = { name: 'run_command', arguments: { command: ['node', '--test'] } };
/** Finds the failing test, mends it with an edit, runs it again. */
const REPLIES = [
  { text: 'I run the tests.', calls: [run] },
  { calls: [{ name: 'read_file', arguments: { path: 'sum.js' } }] },
  { calls: [{ name: 'edit_file', arguments: { path: 'sum.js', edits: [{ old_text: 'a - b', new_text: 'a + b' }] } }] },
  { calls: [run] },
  { text: 'The sum was a difference. The test passes now.' },
] as const;

/** What a session has, without what belongs to one run alone. */
async function exported(cwd: string): Promise<readonly unknown[]> {
  const { stdout: list } = await promptHere(['sessions', 'list', '--json'], { cwd });
  const {
    sessions: [session],
  } = JSON.parse(list) as { sessions: { id: string }[] };
  const id = session?.id ?? '';
  const { stdout } = await promptHere(['sessions', 'export', id], { cwd });
  return stdout
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(
          line
            .replaceAll(id, '<id>')
            .replaceAll(cwd, '<folder>')
            .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<server>')
            .replaceAll(/"(?:atMs|at|created|changed|durationMs|startedMs)":(?:"[^"]*"|[\d.]+)/g, '"at":0')
            // The editor has the tool for the plan beside those of the terminal.
            .replaceAll('"tools":19', '"tools":18')
            .replaceAll(/duration_ms:? \d+(?:\.\d+)?/g, 'duration_ms 0')
            .replaceAll(/\(\d+(?:\.\d+)?ms\)/g, '(0ms)')
            .replaceAll(/after \d+\.\d s/g, 'after 0.0 s')
            .replaceAll(/[\d.]+ ?ms/g, '0ms'),
        ) as unknown,
    );
}

test('a coding session through an editor leaves the same files, session and transcript as in the terminal', async () => {
  verifies('cli.acp.same');
  const editor = await withEditor({ replies: [...REPLIES], files: FILES }, async ({ begin, prompt, cwd }) => {
    const id = await begin();
    expect(await prompt(id, 'The test fails. Mend it.')).toMatchObject({ stopReason: 'end_turn' });
    const mended = readFileSync(join(cwd, 'sum.js'), 'utf8');
    await prompt(id, '/undo');
    return { cwd, mended, undone: readFileSync(join(cwd, 'sum.js'), 'utf8') };
  });
  const server = await startWireServer({ replies: [...REPLIES] });
  const cwd = workspace(FILES);
  const terminal = inPseudoTerminal(
    ['chat', '--base-url', server.baseUrl, '--model', 'm-1', '--bundle', 'code_agent'],
    { cwd },
  );
  try {
    await terminal.sees('/help shows');
    terminal.type('The test fails. Mend it.\r');
    for (let question = 1; question <= 3; question += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one question after the other
      await vi.waitFor(() => expect(terminal.raw().split('Run it?').length).toBe(question + 1), { timeout: 60_000 });
      terminal.type('y\r');
    }
    await terminal.sees('passes now');
    const mended = readFileSync(join(cwd, 'sum.js'), 'utf8');
    terminal.type('/undo\r');
    await terminal.sees('restored: sum.js');
    terminal.type('/exit\r');
    await terminal.ended;
    const undone = readFileSync(join(cwd, 'sum.js'), 'utf8');
    expect({ mended, undone }).toEqual({ mended: editor.mended, undone: editor.undone });
    expect(await exported(editor.cwd)).toEqual(await exported(cwd));
  } finally {
    await server.close();
  }
});
