/** One flag of the command line. */
export interface FlagSpec {
  /** Whether it takes a value. */
  readonly type: 'string' | 'boolean';
  /** The one letter that also means it. */
  readonly short?: string;
  /** Whether it can be given more than once; its value is then a list. */
  readonly multiple?: boolean;
  /** The placeholder of its value in the help; empty for none. */
  readonly value: string;
  /** What it does, for the help. */
  readonly help: string;
}

/** Every flag of every command. One dash or two, value after `=` or a space. */
export const FLAGS = {
  config: {
    type: 'string',
    value: 'FILE',
    help: 'JSON config file (default: an approved config.json here, else your own)',
  },
  agent: {
    type: 'string',
    value: 'NAME',
    help: 'one of the "agents" in the config (default: the one at its top level)',
  },
  provider: { type: 'string', value: 'NAME', help: 'openai, anthropic, ollama, offline, …' },
  model: { type: 'string', short: 'm', value: 'NAME', help: 'model to use' },
  'base-url': { type: 'string', value: 'URL', help: 'address of the model server' },
  token: {
    type: 'string',
    value: 'KEY',
    help: "credential (default: the provider's environment variable, else prompt-agent keys); ps shows it",
  },
  'token-file': { type: 'string', value: 'FILE', help: 'file that holds the credential' },
  'token-command': { type: 'string', value: 'COMMAND', help: 'command that prints the credential; no shell runs' },
  'system-prompt': {
    type: 'string',
    short: 's',
    value: 'TEXT',
    help: 'system prompt, instead of the one in the config',
  },
  prompt: { type: 'string', value: 'TEXT', help: 'the prompt, instead of the words on the command line' },
  file: {
    type: 'string',
    short: 'f',
    multiple: true,
    value: 'SOURCE',
    help: 'text to send along: a file, a folder, a glob, a web page, or - for stdin; repeatable',
  },
  attach: {
    type: 'string',
    short: 'a',
    multiple: true,
    value: 'SOURCE',
    help: 'image, recording or PDF to send along: a file, a URL, or - for stdin; repeatable',
  },
  schema: {
    type: 'string',
    value: 'SCHEMA',
    help: "print JSON of this schema: a file, JSON text, or 'name, age int, bio: one line'",
  },
  extract: { type: 'boolean', short: 'x', value: '', help: 'print only the first code block of the answer' },
  template: {
    type: 'string',
    short: 't',
    value: 'NAME',
    help: 'prompt with variables: templates/NAME.yaml of your settings',
  },
  var: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'variable of the template; repeatable' },
  role: { type: 'string', value: 'NAME', help: 'system prompt that you keep: roles/NAME.md of your settings' },
  stream: { type: 'boolean', value: '', help: 'print the text as it arrives (default on a terminal)' },
  workspace: { type: 'string', value: 'DIR', help: 'folder that the file tools see (default: the current one)' },
  bundle: {
    type: 'string',
    value: 'NAME',
    help: 'tools to work on the workspace: code_agent or blog_agent; asks before each change',
  },
  mode: {
    type: 'string',
    value: 'MODE',
    help: 'what the bundle may do: read-only, plan (Git commands that read, too) or act (default)',
  },
  allow: {
    type: 'string',
    multiple: true,
    value: 'RULE',
    help: "allow these calls without asking, such as 'run_command(npm test)' or 'edit_file(src/**)'; repeatable",
  },
  ask: {
    type: 'string',
    multiple: true,
    value: 'RULE',
    help: 'always ask about these calls, even if another rule allows them; repeatable',
  },
  deny: {
    type: 'string',
    multiple: true,
    value: 'RULE',
    help: "never run these calls, such as '*(**/private/**)'; repeatable",
  },
  yes: {
    type: 'string',
    value: 'EFFECTS',
    help: 'allow calls with these effects without asking: write, idempotent, external; separated by commas',
  },
  sandbox: {
    type: 'string',
    value: 'HOW',
    help: 'isolate commands: auto (default: if the system can), required or off',
  },
  'max-turns': {
    type: 'string',
    value: 'N',
    help: 'at most N model calls; 0 means no limit (default: the config, else 25)',
  },
  'max-cost': { type: 'string', value: 'USD', help: 'stop when the run has cost this much; needs --price' },
  'max-time': { type: 'string', value: 'TIME', help: 'stop the run after this time, such as 90s or 5m' },
  price: { type: 'string', value: 'IN,OUT', help: 'price of the model in USD for a million tokens, such as 0.15,0.6' },
  record: {
    type: 'string',
    value: 'FILE',
    help: 'write the requests to the model and its replies to a file, without keys',
  },
  replay: { type: 'string', value: 'FILE', help: 'take the replies from a file of --record instead of a model' },
  json: { type: 'boolean', value: '', help: 'print one JSON object at the end, also on failure' },
  'json-lines': { type: 'boolean', value: '', help: 'print each event as a line of JSON' },
  'max-iterations': {
    type: 'string',
    value: 'N',
    help: "another name for --max-turns; -1 keeps the config's",
  },
  memory: { type: 'string', value: 'DIR', help: 'folder of notes (.md, .txt) that join the system prompt' },
  log: { type: 'boolean', value: '', help: 'print the numbered tool log and the iterations on stderr' },
  quiet: { type: 'boolean', short: 'q', value: '', help: 'print only the answer and errors' },
  verbose: { type: 'boolean', value: '', help: 'also print turns and results on stderr' },
  protocol: {
    type: 'string',
    value: 'NAME',
    help: 'one raw call without the agent: chat, vision, tools, embeddings or audio',
  },
  images: { type: 'string', value: 'LIST', help: 'images to send along: paths and URLs, separated by commas' },
  'allow-private-images': { type: 'boolean', value: '', help: 'allow images from URLs of private addresses' },
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
  port: { type: 'string', value: 'N', help: 'port of 127.0.0.1 to serve on; 0 takes a free one' },
  continue: { type: 'boolean', short: 'c', value: '', help: 'go on with the last session of this folder' },
  session: {
    type: 'string',
    value: 'NAME',
    help: 'go on with this session: its name, or its id; a new name begins one',
  },
  durable: {
    type: 'boolean',
    value: '',
    help: 'record each step of the session in a journal, so that -c resumes after any interruption; see runs',
  },
  'no-session': { type: 'boolean', value: '', help: 'keep nothing of this run' },
  html: { type: 'boolean', value: '', help: 'write one self-contained HTML page' },
  output: { type: 'string', short: 'o', value: 'FILE', help: 'write to this file instead of stdout' },
  limit: { type: 'string', short: 'n', value: 'N', help: 'show at most N; 0 means all (default: 50)' },
  'older-than': { type: 'string', value: 'AGE', help: 'those not used for this long, such as 30d: m, h, d or w' },
  journal: {
    type: 'string',
    value: 'FILE',
    help: 'journal of runs (default: runs.db of your state folder)',
  },
  reason: { type: 'string', value: 'TEXT', help: 'why not: the model reads it' },
  'agent-version': { type: 'string', value: 'V', help: 'go on as this version of the agent' },
  after: { type: 'string', value: 'N', help: 'only events after this position (default: 0, all)' },
  follow: { type: 'boolean', value: '', help: 'go on until the run is over' },
  force: { type: 'boolean', value: '', help: 'remove without asking' },
  help: { type: 'boolean', short: 'h', value: '', help: 'print the help of the program or of a command' },
  version: { type: 'boolean', short: 'v', value: '', help: 'print the version' },
} as const satisfies Readonly<Record<string, FlagSpec>>;

/** The name of a flag. */
export type FlagName = keyof typeof FLAGS;

/** The flags of a command line. */
export type Flags = { readonly [K in FlagName]?: ValueOf<(typeof FLAGS)[K]> };

type ValueOf<Flag> = Flag extends { readonly type: 'boolean' }
  ? boolean
  : Flag extends { readonly multiple: true }
    ? readonly string[]
    : string;

/** Returns the specification of a flag by its name or its letter, with its name; `undefined` for any other word. */
export function findFlag(written: string): (FlagSpec & { readonly name: FlagName }) | undefined {
  const name = isFlag(written) ? written : LETTERS.get(written);
  return name === undefined ? undefined : { name, ...FLAGS[name] };
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

const LETTERS: ReadonlyMap<string, FlagName> = new Map(
  Object.keys(FLAGS)
    .filter((name) => isFlag(name))
    .flatMap((name) => {
      const { short }: FlagSpec = FLAGS[name];
      return short === undefined ? [] : [[short, name] as const];
    }),
);
