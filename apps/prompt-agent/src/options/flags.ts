export interface FlagSpec {
  readonly short?: string;
  /** Whether it can be given more than once; its value is then a list. */
  readonly multiple?: boolean;
  /** The placeholder of its value in the help; absent for a switch, which takes none. */
  readonly value?: string;
  readonly help: string;
}

/** Every flag of every command. One dash or two, value after `=` or a space. */
export const FLAGS = {
  config: { value: 'FILE', help: 'JSON config file (default: an approved config.json here, else your own)' },
  agent: { value: 'NAME', help: 'one of the "agents" in the config (default: the one at its top level)' },
  provider: { value: 'NAME', help: 'openai, anthropic, ollama, offline, …' },
  model: { short: 'm', value: 'NAME', help: 'model to use' },
  'base-url': { value: 'URL', help: 'address of the model server' },
  token: {
    value: 'KEY',
    help: "credential (default: the provider's environment variable, else prompt-agent keys); ps shows it",
  },
  'token-file': { value: 'FILE', help: 'file that holds the credential' },
  'token-command': { value: 'COMMAND', help: 'command that prints the credential; no shell runs' },
  'system-prompt': { short: 's', value: 'TEXT', help: 'system prompt, instead of the one in the config' },
  prompt: { value: 'TEXT', help: 'the prompt, instead of the words on the command line' },
  file: {
    short: 'f',
    multiple: true,
    value: 'SOURCE',
    help: 'text to send along: a file, a folder, a glob, a web page, or - for stdin; repeatable',
  },
  attach: {
    short: 'a',
    multiple: true,
    value: 'SOURCE',
    help: 'image, recording or PDF to send along: a file, a URL, or - for stdin; repeatable',
  },
  schema: { value: 'SCHEMA', help: "print JSON of this schema: a file, JSON text, or 'name, age int, bio: one line'" },
  extract: { short: 'x', help: 'print only the first code block of the answer' },
  template: { short: 't', value: 'NAME', help: 'prompt with variables: templates/NAME.yaml of your settings' },
  var: { multiple: true, value: 'NAME=VALUE', help: 'variable of the template; repeatable' },
  role: { value: 'NAME', help: 'system prompt that you keep: roles/NAME.md of your settings' },
  stream: { help: 'print the text as it arrives (default on a terminal)' },
  workspace: { value: 'DIR', help: 'folder that the file tools see (default: the current one)' },
  bundle: { value: 'NAME', help: 'tools to work on the workspace: code_agent or blog_agent; asks before each change' },
  mode: {
    value: 'MODE',
    help: 'what the bundle may do: read-only, plan (Git commands that read, too) or act (default)',
  },
  allow: {
    multiple: true,
    value: 'RULE',
    help: "allow these calls without asking, such as 'run_command(npm test)' or 'edit_file(src/**)'; repeatable",
  },
  ask: {
    multiple: true,
    value: 'RULE',
    help: 'always ask about these calls, even if another rule allows them; repeatable',
  },
  deny: { multiple: true, value: 'RULE', help: "never run these calls, such as '*(**/private/**)'; repeatable" },
  yes: {
    value: 'EFFECTS',
    help: 'allow calls with these effects without asking: write, idempotent, external; separated by commas',
  },
  sandbox: { value: 'HOW', help: 'isolate commands: auto (default: if the system can), required or off' },
  'max-turns': { value: 'N', help: 'at most N model calls; 0 means no limit (default: the config, else 25)' },
  'max-cost': { value: 'USD', help: 'stop when the run has cost this much; needs --price' },
  'max-time': { value: 'TIME', help: 'stop the run after this time, such as 90s or 5m' },
  price: { value: 'IN,OUT', help: 'price of the model in USD for a million tokens, such as 0.15,0.6' },
  record: { value: 'FILE', help: 'write the requests to the model and its replies to a file, without keys' },
  replay: { value: 'FILE', help: 'take the replies from a file of --record instead of a model' },
  json: { help: 'print one JSON object at the end, also on failure' },
  'json-lines': { help: 'print each event as a line of JSON' },
  'max-iterations': { value: 'N', help: "another name for --max-turns; -1 keeps the config's" },
  memory: { value: 'DIR', help: 'folder of notes (.md, .txt) that join the system prompt' },
  log: { help: 'print the numbered tool log and the iterations on stderr' },
  quiet: { short: 'q', help: 'print only the answer and errors' },
  verbose: { help: 'also print turns and results on stderr' },
  protocol: { value: 'NAME', help: 'one raw call without the agent: chat, vision, tools, embeddings or audio' },
  images: { value: 'LIST', help: 'images to send along: paths and URLs, separated by commas' },
  'allow-private-images': { help: 'allow images from URLs of private addresses' },
  'tools-file': { value: 'FILE', help: 'tools: JSON array of { name, description, parameters }' },
  tools: { value: 'WHAT', help: 'more tools: module, mcpServers file, MCP command or URL; needs --execute' },
  execute: { help: 'run the tools of --tools; ask before those that may change something' },
  'trust-hints': {
    value: 'NAMES',
    help: 'MCP servers whose read-only hints you trust, separated by commas (mcp: that of a command or URL)',
  },
  audio: { value: 'FILE', help: 'audio: the recording to transcribe' },
  port: { value: 'N', help: 'port of 127.0.0.1 to serve on; 0 takes a free one' },
  continue: { short: 'c', help: 'go on with the last session of this folder' },
  session: { value: 'NAME', help: 'go on with this session: its name, or its id; a new name begins one' },
  durable: {
    help: 'record each step of the session in a journal, so that -c resumes after any interruption; see runs',
  },
  'no-session': { help: 'keep nothing of this run' },
  html: { help: 'write one self-contained HTML page' },
  output: { short: 'o', value: 'FILE', help: 'write to this file instead of stdout' },
  limit: { short: 'n', value: 'N', help: 'show at most N; 0 means all (default: 50)' },
  'older-than': { value: 'AGE', help: 'those not used for this long, such as 30d: m, h, d or w' },
  journal: { value: 'FILE', help: 'journal of runs (default: runs.db of your state folder)' },
  reason: { value: 'TEXT', help: 'why not: the model reads it' },
  'agent-version': { value: 'V', help: 'go on as this version of the agent' },
  after: { value: 'N', help: 'only events after this position (default: 0, all)' },
  follow: { help: 'go on until the run is over' },
  force: { help: 'remove without asking' },
  help: { short: 'h', help: 'print the help of the program or of a command' },
  version: { short: 'v', help: 'print the version' },
} as const satisfies Readonly<Record<string, FlagSpec>>;

export type FlagName = keyof typeof FLAGS;

export type Flags = { readonly [K in FlagName]?: ValueOf<(typeof FLAGS)[K]> };

type ValueOf<Flag> = Flag extends { readonly multiple: true }
  ? readonly string[]
  : Flag extends { readonly value: string }
    ? string
    : boolean;

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

/** What the command line and the help know of a command. What runs it is in `commands/load-command.ts`. */
export interface CommandSpec {
  /** What stands after the name in its usage line. Default: nothing. */
  readonly usage?: string;
  /** What it does: one line for the help. */
  readonly summary: string;
  /** The flags that have an effect on it, in the order of its help. `--help` is one of every command. */
  readonly flags?: readonly FlagName[];
  /** The most words after the name. Default: 0. */
  readonly maxWords?: number;
  /** Command lines that show its use, without the name of the program. Default: the name alone. */
  readonly examples?: readonly string[];
}
