import { objectSchema } from '../object-schema.ts';
import type { Tool } from '@kernel/protocol';

const ID = { type: 'string', description: 'The id that run_command gave.' } as const;

export const RUN_COMMAND: Tool = {
  name: 'run_command',
  title: 'Run a command',
  description:
    'Runs a program in the workspace and returns its output and exit code. No shell: for pipes, globs or && use ["bash","-c","…"].',
  parameters: objectSchema(['command'], {
    command: {
      type: 'array',
      items: { type: 'string', maxLength: 100_000 },
      minItems: 1,
      maxItems: 1000,
      description: 'The program and its arguments, such as ["npm","test"].',
    },
    cwd: { type: 'string', description: 'Folder to run in, relative to the workspace.' },
    input: { type: 'string', description: 'Text for its standard input.' },
    timeout_seconds: { type: 'number', exclusiveMinimum: 0, description: 'Time limit.' },
    background: { type: 'boolean', description: 'True for a server or watcher: returns an id at once.' },
  }),
  effect: 'external',
  metadata: {
    category: 'build',
    usageHint: 'To run tests, builds, git and other programs.',
    examples: [{ description: 'Run the tests', input: { command: ['npm', 'test'] } }],
  },
};

export const READ_OUTPUT: Tool = {
  name: 'read_output',
  title: 'Read output',
  description: 'Returns what a background command has written since the last time, and whether it still runs.',
  parameters: objectSchema(['id'], {
    id: ID,
    wait_seconds: { type: 'number', minimum: 0, maximum: 60, description: 'How long to wait for output or its end.' },
  }),
  effect: 'read',
  metadata: { category: 'build' },
};

export const STOP_COMMAND: Tool = {
  name: 'stop_command',
  title: 'Stop a command',
  description: 'Ends a background command and all that it started.',
  parameters: objectSchema(['id'], { id: ID }),
  // It ends only commands that the model itself started, so nobody is asked.
  effect: 'read',
  metadata: { category: 'build' },
};
