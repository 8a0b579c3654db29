import type { CommandSpec } from './command-spec.ts';

/** The commands about the conversations that are kept. */
export const SESSION_COMMANDS = {
  'sessions list': {
    usage: '',
    summary: 'the conversations that were kept, newest first',
    flags: ['limit', 'json'],
    maxWords: 0,
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
    flags: [],
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
} as const satisfies Readonly<Record<string, CommandSpec>>;
