import * as z from 'zod';
import { DEFAULT_CONFIG } from './default-config.ts';
import { modelSchema } from './model-schema.ts';
import { providerSchema } from './provider-schema.ts';
import { block, durationMs, expected, flag, numberFrom, present, text, wholeNumberFrom } from './setting-schemas.ts';
import type { AgentConfig, ConnectionConfig, RetryConfig } from './types.ts';

const { client: CLIENT, name: NAME } = DEFAULT_CONFIG;

const retrySchema = block({
  max_retries: wholeNumberFrom(0).default(CLIENT.retry.maxRetries),
  initial_backoff: durationMs.default(CLIENT.retry.initialBackoffMs),
  max_backoff: durationMs.default(CLIENT.retry.maxBackoffMs),
  backoff_multiplier: numberFrom(1).default(CLIENT.retry.multiplier),
  jitter: flag.default(CLIENT.retry.jitter),
}).transform(({ max_retries, initial_backoff, max_backoff, backoff_multiplier, jitter }): RetryConfig => ({
  maxRetries: max_retries,
  initialBackoffMs: initial_backoff,
  maxBackoffMs: max_backoff,
  multiplier: backoff_multiplier,
  jitter,
}));

const clientSchema = block({
  timeout: durationMs.default(CLIENT.timeoutMs),
  retry: retrySchema.prefault({}),
  connection_pool_size: wholeNumberFrom(1).default(CLIENT.connectionPoolSize),
  connection_timeout: durationMs.default(CLIENT.connectionTimeoutMs),
}).transform(({ timeout, retry, connection_pool_size, connection_timeout }): ConnectionConfig => ({
  timeoutMs: timeout,
  retry,
  connectionPoolSize: connection_pool_size,
  connectionTimeoutMs: connection_timeout,
}));

const run = {
  system_prompt: text.optional(),
  max_iterations: wholeNumberFrom(0).optional(),
  memory: block({ path: text.optional() }).transform(present).optional(),
  agents: z
    .record(
      z.string(),
      z.lazy((): z.ZodType<AgentConfig> => memberSchema),
      { error: expected('an object') },
    )
    .optional(),
};

export const agentSchema = block({
  name: text.default(NAME),
  ...run,
  client: clientSchema.prefault({}),
  provider: providerSchema.prefault({}),
  model: modelSchema.prefault({}),
}).transform(({ name, system_prompt, max_iterations, memory, agents, client, provider, model }): AgentConfig => ({
  name,
  ...present({ systemPrompt: system_prompt, maxIterations: max_iterations, memory, agents }),
  client,
  provider,
  model,
}));

const memberSchema: z.ZodType<AgentConfig> = agentSchema.transform((config, context) => {
  for (const key of ['agents', 'memory'] as const)
    if (config[key] !== undefined)
      context.addIssue({ code: 'custom', path: [key], message: 'has no effect in one of several agents' });
  return config;
});

const elsewhere = z.unknown().optional();

/** The file of the kernel program: an agent, and around it settings of the run, which come before those of the agent. */
export const kernelFileSchema = block({
  agent: agentSchema,
  ...run,
  session: block({}).optional(),
  name: elsewhere,
  client: elsewhere,
  provider: elsewhere,
  model: elsewhere,
}).transform(({ agent, system_prompt, max_iterations, memory, agents, ...others }, context): AgentConfig => {
  const ofRun = present({ systemPrompt: system_prompt, maxIterations: max_iterations, memory, agents });
  const names = { systemPrompt: 'system_prompt', maxIterations: 'max_iterations', memory: 'memory', agents: 'agents' };
  for (const key of ['systemPrompt', 'maxIterations', 'memory', 'agents'] as const) {
    if (ofRun[key] === undefined || agent[key] === undefined) continue;
    const message = `has no effect: ${names[key]} beside "agent" comes before it`;
    context.addIssue({ code: 'custom', path: ['agent', names[key]], message });
  }
  for (const key of ['name', 'client', 'provider', 'model'] as const) {
    if (others[key] === undefined) continue;
    const message = `has no effect beside "agent"; it belongs into it: agent.${key}`;
    context.addIssue({ code: 'custom', path: [key], message });
  }
  return { ...agent, ...ofRun };
});
