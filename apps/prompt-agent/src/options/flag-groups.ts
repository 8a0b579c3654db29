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

/** The flags that choose the tools and what they may do. */
export const TOOLS = [...TOOL_CHOICE, 'memory', 'max-turns', 'max-iterations'] as const;
