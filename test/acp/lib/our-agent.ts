import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call, COMMAND, NEW, OLD, type RealAgent } from './real-agents.ts';
import { LAST_WORDS } from './scripted-model.ts';

const PROGRAM = fileURLToPath(new URL('../../../apps/prompt-agent', import.meta.url));

/** `prompt-agent acp`, as it is built. */
export const OUR_AGENT: RealAgent = {
  name: 'prompt-agent',
  packages: [PROGRAM],
  file: join(PROGRAM, 'dist/cli.js'),
  args: ['acp', '--provider', 'openai', '--model', 'scripted-model'],
  variables: ({ model }) => ({ OPENAI_API_KEY: 'sk-scripted', OPENAI_BASE_URL: `${model}/v1` }),
  tools: ['read_file', 'run_command'],
  script: () => [
    call('I read it first.', 'read_file', { path: 'greet.txt' }),
    call('Now the change.', 'edit_file', { path: 'greet.txt', edits: [{ old_text: OLD, new_text: NEW }] }),
    call('Now the check.', 'run_command', { command: COMMAND.split(' ') }),
    { text: LAST_WORDS },
  ],
};
