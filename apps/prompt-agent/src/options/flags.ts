import { LIMITS, RUN, SESSION, TOOLS } from './agent-flags.ts';
import { age, AGENT, type FlagSpec, type FlagTable, port, TEXT, wholeNumber } from './flag-spec.ts';

/** How many rows a list has without `--limit`. */
export const SHOWN = 50;

/** The flags that choose a model. */
export const MODEL = {
  provider: { value: 'NAME', help: 'openai, anthropic, ollama, offline, …' },
  model: { short: 'm', value: 'NAME', help: 'model to use', needsModel: true },
  'base-url': { value: 'URL', help: 'address of the model server', needsModel: true },
  token: {
    value: 'KEY',
    help: "credential (default: the provider's environment variable, else prompt-agent keys); ps shows it",
    needsModel: true,
  },
  'token-file': { value: 'FILE', help: 'file that holds the credential' },
  'token-command': { value: 'COMMAND', help: 'command that prints the credential; no shell runs' },
  config: {
    value: 'FILE',
    help: 'JSON config file (default: an approved config.json here, else your own)',
  },
  agent: {
    value: 'NAME',
    help: 'one of the "agents" in the config (default: the one at its top level)',
  },
} as const satisfies FlagTable;

/** The flags of the prompt and the answer of `ask`. */
export const PROMPT = {
  prompt: { value: 'TEXT', help: 'the prompt, instead of the words on the command line' },
  template: {
    short: 't',
    value: 'NAME',
    help: 'prompt with variables: templates/NAME.yaml of your settings',
  },
  var: { multiple: true, value: 'NAME=VALUE', help: 'variable of the template; repeatable', needs: ['template', ''] },
  file: {
    short: 'f',
    multiple: true,
    value: 'SOURCE',
    help: 'text to send along: a file, a folder, a glob, a web page, or - for stdin; repeatable',
    modes: [...TEXT, 'embeddings'],
  },
  attach: {
    short: 'a',
    multiple: true,
    value: 'SOURCE',
    help: 'image, recording or PDF to send along: a file, a URL, or - for stdin; repeatable',
    modes: AGENT,
    needsModel: true,
  },
  images: {
    value: 'LIST',
    help: 'vision: the images, paths and URLs separated by commas; the agent takes them as it does --attach',
    modes: ['agent', 'vision'],
    needsModel: true,
  },
  'allow-private-images': {
    help: 'allow images from URLs of private addresses',
    modes: ['agent', 'vision'],
  },
  schema: {
    value: 'SCHEMA',
    help: "print JSON of this schema: a file, JSON text, or 'name, age int, bio: one line'",
    modes: AGENT,
  },
  extract: { short: 'x', help: 'print only the first code block of the answer', modes: AGENT },
} as const satisfies FlagTable;

/** The flags of one request without the agent. */
export const RAW = {
  protocol: {
    value: 'NAME',
    help: 'one raw call without the agent: chat, vision, tools, embeddings or audio',
    oneOf: ['chat', 'vision', 'tools', 'embeddings', 'audio'],
  },
  'tools-file': {
    value: 'FILE',
    help: 'tools: JSON array of { name, description, parameters }',
    modes: ['tools'],
  },
  audio: { value: 'FILE', help: 'audio: the recording to transcribe', modes: ['audio'] },
} as const satisfies FlagTable;

/** Every flag of every command, in the order of the help. One dash or two, value after `=` or a space. */
export const FLAGS = {
  ...MODEL,
  'system-prompt': {
    short: 's',
    value: 'TEXT',
    help: 'system prompt, instead of the one in the config',
    modes: TEXT,
    needsModel: true,
    setting: { name: 'system prompt', of: ({ systemPrompt }) => systemPrompt, otherwise: 'none' },
  },
  role: {
    value: 'NAME',
    help: 'system prompt that you keep: roles/NAME.md of your settings',
    modes: AGENT,
    excludes: { 'system-prompt': 'a role is a system prompt' },
  },
  ...PROMPT,
  stream: { help: 'print the text as it arrives (default on a terminal)', modes: TEXT },
  ...SESSION,
  durable: {
    help: 'record each step of the session in a journal, so that -c resumes after any interruption; see runs',
    excludes: { 'no-session': '', protocol: 'a raw call has no steps' },
  },
  journal: {
    value: 'FILE',
    help: 'journal of runs (default: runs.db of your state folder)',
    read: (path) => (path === '' ? undefined : path),
    refusal: 'must be the path of a file',
    needs: ['durable', ''],
  },
  limit: {
    short: 'n',
    value: 'N',
    help: `show at most N; 0 means all (default: ${SHOWN})`,
    read: wholeNumber(9),
    refusal: 'must be a whole number, or 0 for all',
  },
  'older-than': {
    value: 'AGE',
    help: 'those not used for this long, such as 30d: m, h, d or w',
    read: age,
    refusal: 'must be a number and a unit, such as 30d: m, h, d or w',
  },
  reason: { value: 'TEXT', help: 'why not: the model reads it' },
  'agent-version': { value: 'V', help: 'go on as this version of the agent' },
  after: {
    value: 'N',
    help: 'only events after this position (default: 0, all)',
    read: wholeNumber(15),
    refusal: 'must be the position of an event: a whole number',
  },
  follow: { help: 'go on until the run is over' },
  force: { help: 'remove, or add, without asking' },
  scope: {
    value: 'SCOPE',
    help: "whose servers: user (default; yours, in all folders) or project (this folder's .mcp.json)",
    oneOf: ['user', 'project'],
  },
  header: { multiple: true, value: "'NAME: VALUE'", help: 'header for each request to the server; repeatable' },
  env: { multiple: true, value: 'NAME=VALUE', help: 'variable of the environment of the server; repeatable' },
  from: {
    value: 'SOURCE',
    help: 'add what another program has: claude-desktop, vscode, cursor, or a file such as .mcp.json',
  },
  ...TOOLS,
  ...RUN,
  ...LIMITS,
  record: {
    value: 'FILE',
    help: 'write the requests to the model and its replies to a file, without keys',
    excludes: { replay: '' },
  },
  replay: { value: 'FILE', help: 'take the replies from a file of --record instead of a model' },
  json: { help: 'print one JSON object at the end, also on failure', excludes: { 'json-lines': '', html: '' } },
  'json-lines': { help: 'print each event as a line of JSON' },
  log: { help: 'print the numbered tool log and the iterations on stderr', modes: AGENT },
  quiet: { short: 'q', help: 'print only the answer and errors' },
  verbose: { help: 'also print turns and results on stderr', modes: AGENT },
  ...RAW,
  port: {
    value: 'N',
    help: 'port of 127.0.0.1 to serve on; 0 takes a free one',
    read: port,
    refusal: 'must be a number from 0 to 65535; 0 takes a free one',
  },
  files: { help: 'let MCP clients read the files of the workspace, too' },
  setup: {
    value: 'EDITOR',
    help: 'print how to set up an editor: zed, jetbrains, neovim or emacs',
    oneOf: ['zed', 'jetbrains', 'neovim', 'emacs'],
  },
  login: { help: 'ask for the key of a provider on this terminal, and keep it' },
  html: { help: 'write one self-contained HTML page' },
  output: { short: 'o', value: 'FILE', help: 'write to this file instead of stdout' },
  version: { short: 'v', help: 'print the version' },
  help: { short: 'h', help: 'print the help of the program or of a command' },
} as const satisfies FlagTable;

export type FlagName = keyof typeof FLAGS;

export type Flags = { readonly [K in FlagName]?: ValueOf<(typeof FLAGS)[K]> };

type ValueOf<Flag> = Flag extends { readonly multiple: true }
  ? readonly string[]
  : Flag extends { readonly isList: true }
    ? readonly string[]
    : Flag extends { readonly oneOf: readonly (infer Value)[] }
      ? Value
      : Flag extends { readonly read: (given: string) => infer Value }
        ? Exclude<Value, null | undefined>
        : Flag extends { readonly value: string }
          ? string
          : boolean;

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

export const FLAG_NAMES: readonly FlagName[] = Object.keys(FLAGS).filter((name) => isFlag(name));

export function specOf(name: FlagName): FlagSpec {
  return FLAGS[name];
}

/** Returns a flag by its name or its letter; `undefined` for any other word. */
export function findFlag(written: string): FlagName | undefined {
  return isFlag(written) ? written : FLAG_NAMES.find((name) => specOf(name).short === written);
}

/** What the command line and the help know of a command. What runs it is in `commands/load-command.ts`. */
export interface CommandSpec {
  /** What stands after the name in its usage line. Default: nothing. */
  readonly usage?: string;
  /** What it does: one line for the help. */
  readonly summary: string;
  /** The flags that have an effect on it, and tables of such flags. `--help` is one of every command. */
  readonly flags?: readonly (FlagName | FlagTable)[];
  /** The most words after the name. Default: 0. */
  readonly maxWords?: number;
  /** Command lines that show its use, without the name of the program. Default: the name alone. */
  readonly examples?: readonly string[];
}
