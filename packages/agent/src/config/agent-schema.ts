import * as z from 'zod';
import { CLIENT_SETTINGS } from './client-settings.ts';
import { DEFAULT_CONFIG } from './default-config.ts';
import { modelSchema } from './model-schema.ts';
import { providerSchema } from './provider-schema.ts';
import { RUN_SETTINGS } from './run-settings.ts';
import { block, expected, fieldsOf, present, schemaOf, shapeOf, text } from './setting-schemas.ts';
import type { AgentConfig } from './types.ts';

const run = {
  ...shapeOf(RUN_SETTINGS),
  agents: z
    .record(
      z.string(),
      z.lazy((): z.ZodType<AgentConfig> => memberSchema),
      { error: expected('an object') },
    )
    .optional(),
};

export const agentSchema = block({
  name: text.default(DEFAULT_CONFIG.name),
  ...run,
  client: schemaOf(CLIENT_SETTINGS).default(DEFAULT_CONFIG.client),
  provider: providerSchema.prefault({}),
  model: modelSchema.prefault({}),
}).transform(({ name, agents, client, provider, model, ...others }): AgentConfig => ({
  name,
  ...fieldsOf(RUN_SETTINGS, others),
  ...present({ agents }),
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

/** A file with an `agent` block: an agent, and around it settings of the run, which come before those of the agent. */
export const kernelFileSchema = block({
  agent: agentSchema,
  ...run,
  session: block({}).optional(),
  name: elsewhere,
  client: elsewhere,
  provider: elsewhere,
  model: elsewhere,
}).transform(({ agent, agents, ...others }, context): AgentConfig => {
  const ofRun = { ...fieldsOf(RUN_SETTINGS, others), ...present({ agents }) };
  for (const [field, { key }] of Object.entries({ ...RUN_SETTINGS, agents: { key: 'agents' } })) {
    if (!Object.hasOwn(ofRun, field) || !Object.hasOwn(agent, field)) continue;
    const message = `has no effect: ${key} beside "agent" comes before it`;
    context.addIssue({ code: 'custom', path: ['agent', key], message });
  }
  for (const key of ['name', 'client', 'provider', 'model'] as const) {
    if (others[key] === undefined) continue;
    const message = `has no effect beside "agent"; it belongs into it: agent.${key}`;
    context.addIssue({ code: 'custom', path: [key], message });
  }
  return { ...agent, ...ofRun };
});
