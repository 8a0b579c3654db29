import type { CommandSpec } from './command-spec.ts';
import { MODEL, RUN_SETTINGS } from './flag-groups.ts';

/** The commands about models, keys, settings and the program itself. */
export const SETTING_COMMANDS = {
  models: {
    usage: '',
    summary: 'list the models that you can use',
    flags: [...MODEL, 'json'],
    maxWords: 0,
    examples: ['', '--provider anthropic'],
  },
  doctor: {
    usage: '',
    summary: 'say what was looked for, found and refused, and why',
    flags: [...MODEL, 'json'],
    maxWords: 0,
    examples: [''],
  },
  'keys set': {
    usage: 'PROVIDER',
    summary: 'keep the key of a provider; list, rm',
    flags: [],
    maxWords: 1,
    examples: ['anthropic'],
  },
  'keys list': {
    usage: '',
    summary: 'list which providers have a key, and where it is',
    flags: ['json'],
    maxWords: 0,
    examples: [''],
  },
  'keys rm': { usage: 'PROVIDER', summary: 'forget a key', flags: ['json'], maxWords: 1, examples: ['anthropic'] },
  'config show': {
    usage: '',
    summary: 'print each setting and where it is from; path, check',
    flags: [...MODEL, 'system-prompt', ...RUN_SETTINGS, 'workspace', 'json'],
    maxWords: 0,
    examples: [''],
  },
  'config path': {
    usage: '',
    summary: 'print where settings and state are',
    flags: ['json'],
    maxWords: 0,
    examples: [''],
  },
  'config check': {
    usage: '',
    summary: 'check the config, and name the first mistake',
    flags: ['config', 'agent', 'workspace', 'json'],
    maxWords: 0,
    examples: ['--config team.json'],
  },
  completion: {
    usage: 'SHELL',
    summary: 'print completion for bash, zsh or fish',
    flags: [],
    maxWords: 1,
    examples: ['bash > ~/.local/share/bash-completion/completions/prompt-agent'],
  },
  man: { usage: '', summary: 'print the manual page', flags: [], maxWords: 0, examples: ['| man -l -'] },
} as const satisfies Readonly<Record<string, CommandSpec>>;
