import type { CommandSpec } from './command-spec.ts';

/** The commands about runs that outlive their process. */
export const JOURNAL_COMMANDS = {
  'runs list': {
    usage: '',
    summary: 'runs in a journal; show, approve, deny, resolve, …',
    flags: ['journal', 'limit', 'json'],
    maxWords: 0,
    examples: ['', '--journal runs.db --json'],
  },
  'runs show': {
    usage: 'ID',
    summary: 'how a run is: its answer or error, and what waits',
    flags: ['journal', 'json', 'html', 'output'],
    maxWords: 1,
    examples: ['ticket-42', 'ticket-42 --html -o run.html'],
  },
  'runs approve': {
    usage: 'ID [CALL]',
    summary: 'let a call run that waits for a decision',
    flags: ['journal', 'json'],
    maxWords: 2,
    examples: ['ticket-42', 'ticket-42 call_7'],
  },
  'runs deny': {
    usage: 'ID [CALL]',
    summary: 'refuse a call that waits, and tell the model why',
    flags: ['journal', 'reason', 'json'],
    maxWords: 2,
    examples: ['ticket-42 --reason "not on a Sunday"'],
  },
  'runs resolve': {
    usage: 'ID CALL retry|tell|TEXT',
    summary: 'resolve a call whose outcome is unknown',
    flags: ['journal', 'json'],
    maxWords: Infinity,
    examples: ['ticket-42 call_7 retry', 'ticket-42 call_7 "it was paid"'],
  },
  'runs cancel': {
    usage: 'ID',
    summary: 'end a run, and abort what is in flight',
    flags: ['journal', 'json'],
    maxWords: 1,
    examples: ['ticket-42'],
  },
  'runs retry': {
    usage: 'ID',
    summary: 'go on with a run that failed or is blocked',
    flags: ['journal', 'agent-version', 'json'],
    maxWords: 1,
    examples: ['ticket-42', 'ticket-42 --agent-version 2'],
  },
  'runs events': {
    usage: 'ID',
    summary: 'the events of a run, a line each',
    flags: ['journal', 'after', 'follow', 'json'],
    maxWords: 1,
    examples: ['ticket-42 --follow', 'ticket-42 --after 120 --json'],
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;
