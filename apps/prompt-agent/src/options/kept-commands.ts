import type { CommandSpec } from './flags.ts';

/** The commands about what is kept: conversations, and runs that outlive their process. */
export const KEPT_COMMANDS = {
  // The conversations that are kept.
  'sessions list': {
    summary: 'the conversations that were kept, newest first',
    flags: ['limit', 'json'],
    examples: ['--limit 0 --json'],
  },
  'sessions show': {
    usage: '[SESSION]',
    summary: 'its messages and calls (default: the last one here)',
    flags: ['json', 'html', 'output'],
    maxWords: 1,
    examples: ['3f9a2c1b', '--html -o session.html'],
  },
  'sessions search': {
    usage: 'WORDS',
    summary: 'those in which words were asked, answered or called',
    flags: ['limit', 'json'],
    maxWords: Infinity,
    examples: ['parse error', `'"exact phrase"'`],
  },
  'sessions export': {
    usage: 'SESSION',
    summary: 'a whole conversation as lines of JSON',
    flags: ['output'],
    maxWords: 1,
    examples: ['3f9a2c1b > session.jsonl'],
  },
  'sessions repair': {
    usage: 'FILE',
    summary: 'recover what can be read of a damaged sessions database or session file',
    maxWords: 1,
    examples: ['sessions.damaged-2026-01-31T10-00-00.db', 'chat.jsonl'],
  },
  'sessions rm': {
    usage: 'SESSION…',
    summary: 'remove conversations for good',
    flags: ['older-than', 'force'],
    maxWords: Infinity,
    examples: ['3f9a2c1b', '--older-than 30d'],
  },
  // Runs that outlive their process.
  'runs list': {
    summary: 'runs in a journal; show, approve, deny, resolve, …',
    flags: ['journal', 'limit', 'json'],
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
