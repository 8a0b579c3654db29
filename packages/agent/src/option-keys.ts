import { hintForKeys, type KeysOf, type OptionKeys, optionKeys } from '@kernel/protocol';
import type { RunOptions } from './options.ts';

/** What an inner run takes: of a sub-agent, or of a member of a team. Its history, signal and conversation come from the outer run. */
export type InnerRunOptions<Context = unknown, Output = unknown> = Omit<
  RunOptions<Context, Output>,
  'messages' | 'signal' | 'conversation' | 'context'
>;

const INNER: KeysOf<InnerRunOptions> = {
  provider: true,
  model: true,
  tools: true,
  system: true,
  options: true,
  toolChoice: true,
  output: true,
  responseFormat: true,
  cache: true,
  prepareTurn: true,
  limits: true,
  runId: true,
  approve: true,
  approvalTimeoutMs: true,
  steering: true,
  steps: true,
  stream: true,
};

/** The keys of `RunOptions`. */
export const RUN: KeysOf<RunOptions> = { ...INNER, messages: true, signal: true, conversation: true, context: true };

const MODEL_OPTIONS = 'maxTokens temperature topP stop seed reasoningEffort parallelToolCalls'.split(' ');

/** Names that other libraries have for what a run takes, and what belongs to a provider or a tool. */
const FOREIGN: Readonly<Record<string, string>> = {
  ...hintForKeys(['maxTurns', 'maxSteps', 'maxIterations', 'stopWhen'], 'Use limits: { turns }.'),
  ...hintForKeys(['timeout', 'timeoutMs'], 'Use limits: { timeMs }.'),
  ...hintForKeys(['maxBudgetUsd', 'maxCost'], 'Use limits: { cost: { max, of } }.'),
  ...hintForKeys(['instructions', 'systemPrompt', 'systemMessage'], 'Use "system".'),
  ...hintForKeys(['prompt', 'input'], 'Use messages: [{ role: "user", content: "…" }].'),
  ...hintForKeys(['history'], 'Use "messages".'),
  ...hintForKeys(['abortSignal'], 'Use "signal".'),
  ...hintForKeys(['runtimeContext', 'experimental_context', 'toolsContext', 'runContext', 'deps'], 'Use "context".'),
  ...hintForKeys(['toolset', 'functions', 'registry'], 'Use "tools".'),
  ...hintForKeys(['prepareStep', 'onStepStart'], 'Use "prepareTurn".'),
  ...hintForKeys(['outputType', 'outputSchema', 'schema'], 'Use "output", or "responseFormat" for JSON text.'),
  ...hintForKeys(['toolApproval', 'needsApproval', 'onApproval', 'canUseTool'], 'Use "approve".'),
  ...hintForKeys(['approvalTimeout', 'approveTimeoutMs'], 'Use "approvalTimeoutMs".'),
  ...hintForKeys(['execute', 'handler'], 'A handler belongs to its tool: defineTool({ …, handler }) of @kernel/tools.'),
  ...hintForKeys(
    ['inputSchema', 'parameters'],
    'A schema belongs to its tool: defineTool({ …, input }) of @kernel/tools.',
  ),
  ...hintForKeys(
    ['apiKey', 'api_key', 'token', 'baseURL', 'baseUrl'],
    'It belongs to the provider: createProvider({ name, token, baseUrl }) of @kernel/providers.',
  ),
  ...hintForKeys(
    ['maxRetries', 'retries'],
    'Wrap the provider: withRetry(provider, { maxRetries }) of @kernel/providers.',
  ),
  ...hintForKeys(
    ['onEvent', 'onStepEnd', 'onEnd', 'onStepFinish', 'onFinish', 'hooks'],
    'Read the events: for await (const event of run(…)).',
  ),
  ...hintForKeys(['maxOutputTokens'], 'Use options: { maxTokens }, or limits: { tokens } for the whole run.'),
  ...Object.fromEntries(MODEL_OPTIONS.map((key) => [key, `Use options: { ${key} }.`])),
};

/** What `run` takes. */
export const RUN_KEYS = runKeys<RunOptions>(RUN);

/** What an inner run takes. */
export const INNER_RUN_KEYS = runKeys<InnerRunOptions>(INNER, {
  ...hintForKeys(['messages', 'signal', 'conversation', 'context'], 'It comes from the outer run.'),
});

/** Keys of options that are passed on to `run`, with the hints that `run` gives. */
export function runKeys<T extends object>(keys: KeysOf<T>, foreign: Readonly<Record<string, string>> = {}): OptionKeys {
  return optionKeys<T>(keys, { ...FOREIGN, ...foreign });
}
