import { EDITOR_TOOLS, LIMITS, RUN, SESSION, TOOLS } from './agent-flags.ts';
import { type CommandSpec, FLAG_NAMES, type FlagName, MODEL, PROMPT, RAW } from './flags.ts';
import { KEPT_COMMANDS } from './kept-commands.ts';

/** Every command by its name; that of a subcommand has two words. `ask` is the one without a name on the command line. */
export const COMMANDS = {
  ask: {
    usage: '"prompt"',
    summary: 'give a prompt to a model with tools, and print the answer',
    flags: [
      MODEL,
      PROMPT,
      SESSION,
      TOOLS,
      RUN,
      LIMITS,
      RAW,
      'system-prompt',
      'role',
      'stream',
      'durable',
      'journal',
      'record',
      'replay',
      'json',
      'json-lines',
      'log',
      'quiet',
      'verbose',
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
    flags: [MODEL, SESSION, TOOLS, RUN, LIMITS, 'system-prompt', 'role', 'stream', 'log', 'quiet', 'verbose'],
    examples: ['', '--bundle code_agent'],
  },
  undo: {
    summary: 'take back what the last run changed in this folder',
    flags: ['workspace', 'json'],
  },
  embed: {
    usage: '"text"',
    summary: 'print the embedding of a text',
    flags: [MODEL, 'file', 'json'],
    maxWords: Infinity,
    examples: ['"a sentence"'],
  },
  transcribe: {
    usage: 'FILE',
    summary: 'print what a recording says',
    flags: [MODEL, 'json'],
    maxWords: 1,
    examples: ['talk.mp3'],
  },
  replay: {
    usage: 'FILE',
    summary: 'ask again what --record has written, without a model',
    flags: [TOOLS, RUN, 'config', 'agent', 'system-prompt', 'role', 'stream', 'json', 'json-lines', 'log', 'verbose'],
    maxWords: 1,
    examples: ['tape.json'],
  },
  ...KEPT_COMMANDS,
  'tools list': {
    summary: 'list the tools on offer; show, call, lint, price, grammar',
    flags: [TOOLS, 'json'],
    examples: ['--bundle code_agent'],
  },
  'tools show': {
    usage: 'NAME',
    summary: 'print a tool whole: description, effect, arguments',
    flags: [TOOLS, 'json'],
    maxWords: 1,
    examples: ['read_file'],
  },
  'tools call': {
    usage: 'NAME [JSON]',
    summary: 'run a tool with arguments as JSON, here or on stdin',
    flags: [TOOLS, 'json'],
    maxWords: Infinity,
    examples: [`calculate '{"expression":"2+2"}'`],
  },
  'tools lint': {
    summary: 'say what each wire loses of the tools',
    flags: [TOOLS, 'json'],
    examples: ['--tools ./tools.ts --execute'],
  },
  'tools price': {
    summary: 'estimate the tokens that the tools add to each request',
    flags: [TOOLS, 'price', 'json'],
    examples: ['--bundle code_agent --price 0.15,0.6'],
  },
  'tools grammar': {
    summary: 'print a grammar of the tools for llama.cpp',
    flags: [TOOLS],
    examples: ['> tools.gbnf'],
  },
  'serve mcp': {
    summary: 'serve the tools to MCP clients; http: the agent with a page',
    flags: [TOOLS, 'files', 'port'],
    examples: ['--bundle code_agent --mode read-only --files', '--port 8000'],
  },
  'serve http': {
    summary: 'serve the agent and a page to talk to it, on this machine',
    flags: [MODEL, TOOLS, RUN, LIMITS, 'system-prompt', 'role', 'port'],
    examples: ['--bundle code_agent --port 8080'],
  },
  acp: {
    summary: 'serve the agent to an editor, by the Agent Client Protocol',
    flags: [
      MODEL,
      EDITOR_TOOLS,
      RUN,
      LIMITS,
      'system-prompt',
      'role',
      'no-session',
      'setup',
      'output',
      'login',
      'quiet',
    ],
    examples: ['', '--setup zed', '--provider anthropic --mode plan'],
  },
  'mcp add': {
    usage: 'NAME URL | NAME -- COMMAND…',
    summary: 'add an MCP server; list, show, test, remove, login, logout',
    flags: ['scope', 'header', 'env', 'from', 'force', 'json'],
    maxWords: Infinity,
    examples: [
      'notes -- npx -y some-server .',
      "docs https://mcp.example.com/mcp --header 'Authorization: Bearer ${DOCS_TOKEN}'",
      '--from vscode',
    ],
  },
  'mcp list': { summary: 'list the MCP servers that were added', flags: ['json'] },
  'mcp show': {
    usage: 'NAME',
    summary: 'print what a server starts or calls, and which tools it had',
    flags: ['scope', 'json'],
    maxWords: 1,
    examples: ['docs'],
  },
  'mcp test': {
    usage: 'NAME',
    summary: 'connect to a server, and print what it offers',
    flags: ['scope', 'max-time', 'json'],
    maxWords: 1,
    examples: ['docs'],
  },
  'mcp remove': {
    usage: 'NAME',
    summary: 'remove a server, and what is known of its tools',
    flags: ['scope', 'json'],
    maxWords: 1,
    examples: ['docs'],
  },
  'mcp login': {
    usage: 'NAME',
    summary: 'sign in at a server, in a browser',
    flags: ['scope'],
    maxWords: 1,
    examples: ['docs'],
  },
  'mcp logout': {
    usage: 'NAME',
    summary: 'forget a sign-in, and take it back at the server',
    flags: ['scope', 'json'],
    maxWords: 1,
    examples: ['docs'],
  },
  models: {
    summary: 'list the models that you can use',
    flags: [MODEL, 'json'],
    examples: ['', '--provider anthropic'],
  },
  doctor: {
    summary: 'say what was looked for, found and refused, and why',
    flags: [MODEL, 'json'],
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
    flags: [MODEL, RUN, 'system-prompt', 'workspace', 'json'],
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

/** What is known of a command, with all of its flags in the order of the help. */
export function commandSpec(name: CommandName) {
  const spec: CommandSpec = COMMANDS[name];
  const { usage = '', summary, flags = [], maxWords = 0, examples = [''] } = spec;
  const takes = (flag: FlagName): boolean =>
    flag === 'help' || flags.some((each) => each === flag || (typeof each === 'object' && Object.hasOwn(each, flag)));
  return { usage, summary, flags: FLAG_NAMES.filter(takes), maxWords, examples };
}

export function isCommand(words: string): words is CommandName {
  return Object.hasOwn(COMMANDS, words);
}

export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS).filter((name) => isCommand(name));
