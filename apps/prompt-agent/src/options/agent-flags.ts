import { amount, type FlagTable, prices, time, wholeNumber } from './flag-spec.ts';

/** The flags that choose tools, and what they may do. */
export const TOOLS = {
  workspace: { value: 'DIR', help: 'folder that the file tools see (default: the current one)' },
  bundle: {
    value: 'NAME',
    help: 'tools to work on the workspace: code_agent or blog_agent; asks before each change',
    oneOf: ['code_agent', 'blog_agent'],
  },
  mode: {
    value: 'MODE',
    help: 'what the bundle may do: read-only, plan (Git commands that read, too) or act (default)',
    oneOf: ['read-only', 'plan', 'act'],
    needs: ['bundle', 'whose tools it limits'],
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
  deny: {
    multiple: true,
    value: 'RULE',
    help: "never run these calls, such as '*(**/private/**)'; repeatable",
  },
  yes: {
    value: 'EFFECTS',
    help: 'allow calls with these effects without asking: write, idempotent, external; separated by commas',
    isList: true,
    oneOf: ['read', 'idempotent', 'write', 'external'],
    refusal: 'is not an effect; give read, idempotent, write, external, separated by commas',
  },
  sandbox: {
    value: 'HOW',
    help: 'isolate commands: auto (default: if the system can), required or off',
    oneOf: ['auto', 'required', 'off'],
    needs: ['bundle code_agent', 'whose commands it isolates'],
  },
  tools: {
    value: 'WHAT',
    help: 'more tools: module, mcpServers file, MCP command (quoted as in a shell) or URL, or a server of mcp add; needs --execute',
    needs: ['execute', 'because those tools may change something'],
  },
  execute: {
    help: 'run the tools of --tools, or of all servers of mcp add; ask before those that may change something',
  },
  'agent-command': {
    multiple: true,
    value: 'COMMAND',
    help: "another agent as a tool, over ACP, such as 'opencode acp', quoted as in a shell; works in a copy; repeatable",
  },
  'code-mode': {
    help: 'the model writes programs that call the tools; asks about each call, or once about calls made at once',
  },
  'trust-hints': {
    value: 'NAMES',
    help: 'MCP servers whose read-only hints you trust, separated by commas (mcp: that of a command or URL)',
    isList: true,
  },
  sampling: {
    value: 'NAMES',
    help: 'MCP servers that may ask your model, each request shown first; separated by commas',
    isList: true,
    needs: ['execute', 'whose servers it is about'],
  },
} as const satisfies FlagTable;

const { workspace: _workspace, bundle: _bundle, ...editorTools } = TOOLS;

/** The flags about tools where an editor says which folder is the workspace, and the bundle is `code_agent`. */
export const EDITOR_TOOLS: FlagTable = editorTools;

/** The flags of an agent that have a setting of the config beside them. */
export const RUN = {
  memory: {
    value: 'DIR',
    help: 'folder of notes (.md, .txt) that join the system prompt',
    needsModel: true,
    setting: { name: 'memory', of: ({ memory }) => memory?.path, otherwise: 'none' },
  },
  'max-turns': {
    value: 'N',
    help: 'at most N model calls; 0 means no limit (default: the config, else 25)',
    read: wholeNumber(6),
    refusal: 'must be a whole number, or 0 for no limit',
    setting: { name: 'max turns', of: ({ maxIterations }) => maxIterations, otherwise: '25' },
  },
  'max-iterations': {
    value: 'N',
    help: "another name for --max-turns; -1 keeps the config's",
    aliasOf: 'max-turns',
    read: (given) => (given === '-1' ? null : wholeNumber(6)(given)),
    refusal: 'must be -1 or a whole number',
  },
} as const satisfies FlagTable;

/** The flags that end a run. */
export const LIMITS = {
  'max-cost': {
    value: 'USD',
    help: 'stop when the run has cost this much; needs --price',
    read: amount,
    refusal: 'must be an amount, such as 0.50',
  },
  'max-time': {
    value: 'TIME',
    help: 'stop the run after this time, such as 90s or 5m',
    read: time,
    refusal: 'must be a time, such as 90s, 5m or 1h',
  },
  price: {
    value: 'IN,OUT',
    help: 'price of the model in USD for a million tokens, such as 0.15,0.6',
    read: prices,
    refusal: 'must be two amounts in USD for a million tokens, in and out, such as 0.15,0.6',
  },
} as const satisfies FlagTable;

/** The flags that say which session it is. */
export const SESSION = {
  continue: {
    short: 'c',
    help: 'go on with the last session of this folder',
    excludes: { session: '', 'no-session': '' },
  },
  session: {
    value: 'NAME',
    help: 'go on with this session: its name, or its id; a new name begins one',
    excludes: { 'no-session': '' },
    read: (name) => (/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(name) ? name : undefined),
    refusal:
      'must be a name of 1 to 64 letters, digits, blanks, dots, hyphens and underscores, the first a letter or digit',
  },
  'no-session': { help: 'keep nothing of this run' },
} as const satisfies FlagTable;
