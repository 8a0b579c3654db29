// `acpAgent` of `@kernel/acp` with the recorded sessions of real agents.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { runAsTool } from './lib/as-tool.ts';
import { LAST_WORDS } from './lib/scripted-model.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Has a model use an agent that plays a recording. */
async function use(name: string, decide?: Parameters<typeof runAsTool>[1], mode?: string) {
  const folder = temporaryFolder('as-tool', { 'greet.txt': 'Hello.\n', 'check.sh': 'grep -q welcome greet.txt\n' });
  const args = [here('replay-agent.ts'), here(`recordings/agents/${name}.jsonl`)];
  const state = temporaryFolder('as-tool-state');
  const outcome = await runAsTool({ command: process.execPath, args, folder, state, mode }, decide);
  return { ...outcome, file: readFileSync(join(folder, 'greet.txt'), 'utf8') };
}

/** What the rules of the run are asked about by each agent: nothing of what it does to its copy but the commands, then all changes as one. */
const ASKED = {
  'claude-agent-acp': ['agent_command', 'apply_patch'],
  'codex-acp': ['agent_command', 'apply_patch'],
  // It says what it runs in its title alone.
  'gemini-cli': ['agent_permission', 'apply_patch'],
  opencode: ['agent_command', 'apply_patch'],
  // It asks nobody.
  'pi-acp': ['apply_patch'],
} as const;

describe.each(Object.entries(ASKED))('%s', (name, asked) => {
  const mode = name === 'claude-agent-acp' ? 'default' : undefined;

  test('does the task in a copy, and its changes come back as one call', async () => {
    verifies('judges.acp.tools');
    const outcome = await use(name, undefined, mode);
    expect(outcome.asked.map((call) => call.name)).toEqual(asked);
    expect(outcome.text).toContain(LAST_WORDS);
    expect(outcome.file).toBe('Hello, and welcome!\n');
    expect(outcome.end.reason).toBe('done');
  });

  test('changes nothing if its changes are not allowed', async () => {
    verifies('judges.acp.tools');
    const outcome = await use(name, (call) => (call.name === 'apply_patch' ? 'deny' : 'allow'), mode);
    expect(outcome.file).toBe('Hello.\n');
  });
});

test('the example agents of the SDK are tools too', async () => {
  verifies('judges.acp.tools');
  const outcome = await use('sdk-dual-version-agent');
  expect(outcome.text).toContain('Hello from the v1 implementation.');
  const other = await use('sdk-example-agent');
  expect(other.text).toContain('The changes have been applied.');
  expect(other.asked.map((call) => call.name)).toEqual(['agent_permission']);
});
