/** The flags that choose the model. */
export const MODEL = [
  'provider',
  'model',
  'base-url',
  'token',
  'token-file',
  'token-command',
  'config',
  'agent',
] as const;

/** The flags that choose tools, for commands that run without a model. */
export const TOOL_CHOICE = [
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
export const RUN_SETTINGS = ['memory', 'max-turns', 'max-iterations'] as const;

/** The flags of a run of the agent: its tools, what they may do, and its settings. Without the agent, with `--protocol`, they have no effect. */
export const TOOLS = [...TOOL_CHOICE, ...RUN_SETTINGS] as const;
