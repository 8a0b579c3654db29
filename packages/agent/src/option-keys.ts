import { sameHint, type KeysOf, type OptionKeys, optionKeys } from '@kernel/protocol';
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
  ...sameHint(['maxTurns', 'maxSteps', 'maxIterations', 'stopWhen'], 'Use limits: { turns }.'),
  ...sameHint(['timeout', 'timeoutMs'], 'Use limits: { timeMs }.'),
  ...sameHint(['maxBudgetUsd', 'maxCost'], 'Use limits: { cost: { max, of } }.'),
  ...sameHint(['instructions', 'systemPrompt', 'systemMessage'], 'Use "system".'),
  ...sameHint(['prompt', 'input'], 'Use messages: [{ role: "user", content: "…" }].'),
  ...sameHint(['history'], 'Use "messages".'),
  ...sameHint(['abortSignal'], 'Use "signal".'),
  ...sameHint(['runtimeContext', 'experimental_context', 'toolsContext', 'runContext', 'deps'], 'Use "context".'),
  ...sameHint(['toolset', 'functions', 'registry'], 'Use "tools".'),
  ...sameHint(['prepareStep', 'onStepStart'], 'Use "prepareTurn".'),
  ...sameHint(['outputType', 'outputSchema', 'schema'], 'Use "output", or "responseFormat" for JSON text.'),
  ...sameHint(['toolApproval', 'needsApproval', 'onApproval', 'canUseTool'], 'Use "approve".'),
  ...sameHint(['approvalTimeout', 'approveTimeoutMs'], 'Use "approvalTimeoutMs".'),
  ...sameHint(['execute', 'handler'], 'A handler belongs to its tool: defineTool({ …, handler }) of @kernel/tools.'),
  ...sameHint(
    ['inputSchema', 'parameters'],
    'A schema belongs to its tool: defineTool({ …, input }) of @kernel/tools.',
  ),
  ...sameHint(
    ['apiKey', 'api_key', 'token', 'baseURL', 'baseUrl'],
    'It belongs to the provider: createProvider({ name, token, baseUrl }) of @kernel/providers.',
  ),
  ...sameHint(
    ['maxRetries', 'retries'],
    'Wrap the provider: withRetry(provider, { maxRetries }) of @kernel/providers.',
  ),
  ...sameHint(
    ['onEvent', 'onStepEnd', 'onEnd', 'onStepFinish', 'onFinish', 'hooks'],
    'Read the events: for await (const event of run(…)).',
  ),
  ...sameHint(['maxOutputTokens'], 'Use options: { maxTokens }, or limits: { tokens } for the whole run.'),
  ...Object.fromEntries(MODEL_OPTIONS.map((key) => [key, `Use options: { ${key} }.`])),
};

/** What `run` takes. */
export const RUN_KEYS = runKeys<RunOptions>(RUN);

/** What an inner run takes. */
export const INNER_RUN_KEYS = runKeys<InnerRunOptions>(INNER, {
  ...sameHint(['messages', 'signal', 'conversation', 'context'], 'It comes from the outer run.'),
});

/** Keys of options that are passed on to `run`, with the hints that `run` gives. */
export function runKeys<T extends object>(keys: KeysOf<T>, foreign: Readonly<Record<string, string>> = {}): OptionKeys {
  return optionKeys<T>(keys, { ...FOREIGN, ...foreign });
}
