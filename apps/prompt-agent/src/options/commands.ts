import type { CommandSpec } from './flags.ts';
import { KEPT_COMMANDS } from './kept-commands.ts';

const MODEL = ['provider', 'model', 'base-url', 'token', 'token-file', 'token-command', 'config', 'agent'] as const;

/** The flags that choose tools, for commands that run without a model. */
const TOOL_CHOICE = [
  'workspace',
  'bundle',
  'mode',
  'allow',
  'ask',
  'deny',
  'yes',
  'sandbox',
  'tools',
  'execute',
  'trust-hints',
] as const;

/** The flags that come before a setting of the config, for runs and for `config show`. */
const RUN_SETTINGS = ['memory', 'max-turns', 'max-iterations'] as const;
/** The flags of a run of the agent. Without the agent, with `--protocol`, they have no effect. */
export const TOOLS = [...TOOL_CHOICE, ...RUN_SETTINGS] as const;
export const LIMITS = ['max-cost', 'max-time', 'price'] as const;
export const SESSION = ['continue', 'session', 'no-session'] as const;

/** Every command by its name; that of a subcommand has two words. `ask` is the one without a name on the command line. */
export const COMMANDS = {
  ask: {
    usage: '"prompt"',
    summary: 'give a prompt to a model with tools, and print the answer',
    flags: [
      ...MODEL,
      'system-prompt',
      'role',
      'prompt',
      'template',
      'var',
      'file',
      'attach',
      'images',
      'allow-private-images',
      'schema',
      'extract',
      'stream',
      ...SESSION,
      'durable',
      'journal',
      ...TOOLS,
      ...LIMITS,
      'record',
      'replay',
      'json',
      'json-lines',
      'log',
      'quiet',
      'verbose',
      'protocol',
      'tools-file',
      'audio',
      'version',
    ],
    maxWords: Infinity,
    examples: [
      '"what time is it in Tokyo?"',
      '-f src/parse.ts "review this"',
      `--schema 'name, age int' "invent a person"`,
      '--bundle code_agent "the tests of src/parse.ts fail; fix them"',
    ],
  },
  chat: {
    summary: 'talk with a model with tools, message after message',
    flags: [...MODEL, 'system-prompt', 'role', ...SESSION, 'stream', ...TOOLS, ...LIMITS, 'log', 'quiet', 'verbose'],
    examples: ['', '--bundle code_agent'],
  },
  undo: {
    summary: 'take back what the last run changed in this folder',
    flags: ['workspace', 'json'],
  },
  embed: {
    usage: '"text"',
    summary: 'print the embedding of a text',
    flags: [...MODEL, 'file', 'json'],
    maxWords: Infinity,
    examples: ['"a sentence"'],
  },
  transcribe: {
    usage: 'FILE',
    summary: 'print what a recording says',
    flags: [...MODEL, 'json'],
    maxWords: 1,
    examples: ['talk.mp3'],
  },
  replay: {
    usage: 'FILE',
    summary: 'ask again what --record has written, without a model',
    flags: [...TOOLS, 'config', 'agent', 'system-prompt', 'role', 'stream', 'json', 'json-lines', 'log', 'verbose'],
    maxWords: 1,
    examples: ['tape.json'],
  },
  ...KEPT_COMMANDS,
  'tools list': {
    summary: 'list the tools on offer; show, call, lint, price, grammar',
    flags: [...TOOL_CHOICE, 'json'],
    examples: ['--bundle code_agent'],
  },
  'tools show': {
    usage: 'NAME',
    summary: 'print a tool whole: description, effect, arguments',
    flags: [...TOOL_CHOICE, 'json'],
    maxWords: 1,
    examples: ['read_file'],
  },
  'tools call': {
    usage: 'NAME [JSON]',
    summary: 'run a tool with arguments as JSON, here or on stdin',
    flags: [...TOOL_CHOICE, 'json'],
    maxWords: Infinity,
    examples: [`calculate '{"expression":"2+2"}'`],
  },
  'tools lint': {
    summary: 'say what each wire loses of the tools',
    flags: [...TOOL_CHOICE, 'json'],
    examples: ['--tools ./tools.ts --execute'],
  },
  'tools price': {
    summary: 'estimate the tokens that the tools add to each request',
    flags: [...TOOL_CHOICE, 'price', 'json'],
    examples: ['--bundle code_agent --price 0.15,0.6'],
  },
  'tools grammar': {
    summary: 'print a grammar of the tools for llama.cpp',
    flags: TOOL_CHOICE,
    examples: ['> tools.gbnf'],
  },
  'serve mcp': {
    summary: 'serve the tools to MCP clients; http: the agent with a page',
    flags: [...TOOL_CHOICE, 'port'],
    examples: ['--bundle code_agent --mode read-only', '--port 8000'],
  },
  'serve http': {
    summary: 'serve the agent and a page to talk to it, on this machine',
    flags: [...MODEL, 'system-prompt', 'role', ...TOOLS, ...LIMITS, 'port'],
    examples: ['--bundle code_agent --port 8080'],
  },
  models: {
    summary: 'list the models that you can use',
    flags: [...MODEL, 'json'],
    examples: ['', '--provider anthropic'],
  },
  doctor: {
    summary: 'say what was looked for, found and refused, and why',
    flags: [...MODEL, 'json'],
  },
  'keys set': {
    usage: 'PROVIDER',
    summary: 'keep the key of a provider; list, rm',
    maxWords: 1,
    examples: ['anthropic'],
  },
  'keys list': {
    summary: 'list which providers have a key, and where it is',
    flags: ['json'],
  },
  'keys rm': { usage: 'PROVIDER', summary: 'forget a key', flags: ['json'], maxWords: 1, examples: ['anthropic'] },
  'config show': {
    summary: 'print each setting and where it is from; path, check',
    flags: [...MODEL, 'system-prompt', ...RUN_SETTINGS, 'workspace', 'json'],
  },
  'config path': {
    summary: 'print where settings and state are',
    flags: ['json'],
  },
  'config check': {
    summary: 'check the config, and name the first mistake',
    flags: ['config', 'agent', 'workspace', 'json'],
    examples: ['--config team.json'],
  },
  completion: {
    usage: 'SHELL',
    summary: 'print completion for bash, zsh or fish',
    maxWords: 1,
    examples: ['bash > ~/.local/share/bash-completion/completions/prompt-agent'],
  },
  man: { summary: 'print the manual page', examples: ['| man -l -'] },
} as const satisfies Readonly<Record<string, CommandSpec>>;

export type CommandName = keyof typeof COMMANDS;

export function commandSpec(name: CommandName): Required<CommandSpec> {
  return { usage: '', flags: [], maxWords: 0, examples: [''], ...COMMANDS[name] };
}

export function isCommand(words: string): words is CommandName {
  return Object.hasOwn(COMMANDS, words);
}

export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS).filter((name) => isCommand(name));
