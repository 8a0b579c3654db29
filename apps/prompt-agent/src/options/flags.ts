import { parseArgs } from 'node:util';
import { usageError } from '../usage-error.ts';

/** Every flag: its type, its placeholder in the help, and what it does. One dash or two, value after `=` or a space. */
const FLAGS = {
  config: {
    type: 'string',
    value: 'FILE',
    help: 'JSON config file (default: an approved config.json here, else your own)',
  },
  agent: { type: 'string', value: 'NAME', help: 'which of the "agents" in the config (default: the one around them)' },
  provider: { type: 'string', value: 'NAME', help: 'openai, anthropic, ollama, offline, …' },
  model: { type: 'string', value: 'NAME', help: 'model to use' },
  'base-url': { type: 'string', value: 'URL', help: 'address of the model server' },
  token: { type: 'string', value: 'KEY', help: "credential (default: the provider's environment variable)" },
  'system-prompt': { type: 'string', value: 'TEXT', help: 'system prompt, instead of the one in the config' },
  prompt: { type: 'string', value: 'TEXT', help: 'the prompt, instead of the positional one' },
  stream: { type: 'boolean', value: '', help: 'print the text as it arrives' },
  workspace: { type: 'string', value: 'DIR', help: 'folder that the file tools may read (default: the current one)' },
  'max-turns': {
    type: 'string',
    value: 'N',
    help: 'at most N model calls; 0 means no limit (default: the config, else 25)',
  },
  json: { type: 'boolean', value: '', help: 'print one JSON object at the end' },
  'json-lines': { type: 'boolean', value: '', help: 'print each event as a line of JSON' },
  'max-iterations': {
    type: 'string',
    value: 'N',
    help: "another name for --max-turns; -1 keeps the config's",
  },
  memory: { type: 'string', value: 'DIR', help: 'folder of notes (.md, .txt) that join the system prompt' },
  log: { type: 'boolean', value: '', help: 'print the numbered tool log and the iterations on stderr' },
  verbose: { type: 'boolean', value: '', help: 'print turns and results on stderr, too' },
  protocol: {
    type: 'string',
    value: 'NAME',
    help: 'one raw call without the agent: chat, vision, tools, embeddings or audio',
  },
  images: { type: 'string', value: 'LIST', help: 'vision: paths and URLs, separated by commas' },
  'allow-private-images': { type: 'boolean', value: '', help: 'vision: allow URLs of private addresses' },
  'tools-file': { type: 'string', value: 'FILE', help: 'tools: JSON array of { name, description, parameters }' },
  tools: {
    type: 'string',
    value: 'WHAT',
    help: 'more tools: module, mcpServers file, MCP command or URL; needs --execute',
  },
  execute: { type: 'boolean', value: '', help: 'run the tools of --tools; ask before those that may change something' },
  'trust-hints': {
    type: 'string',
    value: 'NAMES',
    help: 'MCP servers whose read-only hints you trust, separated by commas (mcp: that of a command or URL)',
  },
  audio: { type: 'string', value: 'FILE', help: 'audio: the recording to transcribe' },
  help: { type: 'boolean', value: '', help: 'print this help' },
  version: { type: 'boolean', value: '', help: 'print the version' },
} as const;

type FlagName = keyof typeof FLAGS;

/** The flags of the command line, and the prompt from either place. */
export type Flags = { readonly [K in FlagName]?: (typeof FLAGS)[K]['type'] extends 'boolean' ? boolean : string } & {
  readonly text?: string;
};

/** Parses the command line. Throws a usage error that names the flag. */
export function parseFlags(argv: readonly string[]): Flags {
  const { options, words } = normalize(argv);
  const { values } = parseArgs({ args: [...options], options: FLAGS, strict: true });
  const positional = words.join(' ');
  if (values.prompt !== undefined && positional !== '') {
    throw usageError(`--prompt and the prompt "${positional}" are both given; give one of them.`);
  }
  const text = values.prompt ?? positional;
  return text === '' ? values : { ...values, text };
}

/** Translates Go's spellings (`-flag`, `-flag value`, `-flag=false`) for `parseArgs`. Anything else is part of the prompt. */
function normalize(argv: readonly string[]): {
  readonly options: readonly string[];
  readonly words: readonly string[];
} {
  const options: string[] = [];
  const words: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const arg = argv[index] ?? '';
    if (arg === '--') return { options, words: [...words, ...argv.slice(index + 1)] };
    const [, written, inline] = /^--?([A-Za-z][A-Za-z0-9-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (written === undefined) {
      words.push(arg);
      continue;
    }
    const name = written === 'h' ? 'help' : written === 'v' ? 'version' : written;
    if (!isFlag(name)) throw usageError(`Unknown flag ${arg.split('=')[0] ?? arg}. See prompt-agent --help.`);
    if (FLAGS[name].type === 'boolean') {
      if (inline === undefined || inline === 'true') options.push(`--${name}`);
      else if (inline !== 'false') throw usageError(`--${name} takes no value, or true or false; not "${inline}".`);
      continue;
    }
    if (inline === undefined) index += 1;
    const value = inline ?? argv[index];
    if (value === undefined) throw usageError(`--${name} needs a value: ${FLAGS[name].value}.`);
    options.push(`--${name}=${value}`);
  }
  return { options, words };
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

/** The text of `--help`. */
export function helpText(): string {
  const lines = Object.entries(FLAGS).map(
    ([name, { value, help }]) => `  ${`--${name} ${value}`.trimEnd().padEnd(26)}${help}`,
  );
  return [
    'Usage: prompt-agent [options] "prompt"',
    '',
    'Gives a prompt to a model with tools and prints the answer. Works without a model, too.',
    '',
    ...lines,
    '',
    'The provider comes from --provider, else the config, else a key in the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY,',
    'GEMINI_API_KEY), else a model server on this machine, else offline: tools without a model.',
    'Exit codes: 0 answer, 1 the run failed, 2 usage or config, 3 offline cannot answer this, 130 interrupted.',
    '',
  ].join('\n');
}
