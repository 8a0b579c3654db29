import type { JsonObject, ModelOptions, ProviderRequest } from '@kernel/protocol';
import { createProvider, createProviders, type ProviderConfig, type ProviderName } from '../../src/index.ts';
import { anthropicProvider } from '../../src/anthropic/index.ts';
import { openaiProvider } from '../../src/openai/index.ts';

// Each vendor takes its own fields and options.
createProvider({ name: 'openai', quirks: { sendStrict: false }, options: { verbosity: 'low', seed: 1 } });
createProvider({ name: 'anthropic', options: { maxTokens: 9, reasoningEffort: 'high', top_k: 3 } });
createProvider({ name: 'bedrock', region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
createProvider({
  name: 'azure',
  baseUrl: 'https://x.example',
  deployment: 'd',
  apiVersion: '2024-10-21',
  authType: 'api_key',
});
createProvider({ name: 'ollama', options: { keep_alive: '5m', options: { num_ctx: 4096 } } });

// A field of another vendor is an error.
// @ts-expect-error -- only Bedrock has a region
createProvider({ name: 'anthropic', region: 'us-east-1' });
// @ts-expect-error -- only chat completions has quirks
createProvider({ name: 'gemini', quirks: { sendStrict: false } });
// @ts-expect-error -- only Azure has a deployment
createProvider({ name: 'openai', deployment: 'd' });
// @ts-expect-error -- Azure needs its deployment
createProvider({ name: 'azure', baseUrl: 'https://x.example', apiVersion: 'v', authType: 'api_key' });
// @ts-expect-error -- a quirk that does not exist
createProvider({ name: 'groq', quirks: { sendSeed: false } });

// A known option has its type; an unknown one goes to the vendor as it is, if it is JSON.
createProvider({ name: 'openai', options: { a_new_field: { deep: [true] } } });
// @ts-expect-error -- a number
createProvider({ name: 'openai', options: { temperature: 'hot' } });
// @ts-expect-error -- one of the literals
createProvider({ name: 'openai', options: { verbosity: 'loud' } });
// @ts-expect-error -- a function is not JSON
createProvider({ name: 'openai', options: { a_new_field: () => 1 } });

// `null` unsets a default.
createProvider({ name: 'anthropic', options: { top_k: null } });
createProvider({ name: 'ollama', options: { keep_alive: null } });
// @ts-expect-error -- one of the literals, on Azure too
createProvider({
  name: 'azure',
  baseUrl: 'https://x.example',
  deployment: 'd',
  apiVersion: '2024-10-21',
  authType: 'api_key',
  options: { verbosity: 'loud' },
});

// An unknown name is allowed in a catalog, and nowhere else.
declare const name: string;
// @ts-expect-error -- not the name of a vendor
createProvider({ name: 'opnai' });
// @ts-expect-error -- known only at run time
createProvider({ name });
createProviders({ mine: (config) => openaiProvider({ ...config, quirks: {} }) }).create({ name: 'mine', own: 1 });
createProviders().create({ name });
// @ts-expect-error -- Azure needs its fields in a catalog too
createProviders().create({ name: 'azure', baseUrl: 'https://x.example' });

// A vendor's own factory takes any name, and no field of another vendor.
openaiProvider({ name: 'my-server', baseUrl: 'http://127.0.0.1:8000/v1', quirks: { callIds: 'alphanumeric-9' } });
anthropicProvider({ options: { top_k: 1 } });
// @ts-expect-error -- only Bedrock has a region
anthropicProvider({ region: 'us-east-1' });

// The unions that an editor completes.
type Config<Name extends ProviderName> = Extract<ProviderConfig, { readonly name: Name }>;
type IsLiteral<T> = string extends T ? false : true;
export const literals: readonly true[] = [
  true satisfies IsLiteral<ProviderName>,
  true satisfies IsLiteral<NonNullable<Config<'azure'>['authType']>>,
  true satisfies IsLiteral<
    NonNullable<NonNullable<Extract<ProviderConfig, { quirks?: unknown }>['quirks']>['callIds']>
  >,
];
export const names: readonly ProviderName[] = ['openai', 'mistral', 'deepseek', 'azure', 'ollama', 'bedrock'];

// Types of the row types.modelOptions; `tsc` checks them. The options of one request, as those of a run, have the same known keys.
export const request: ProviderRequest = {
  model: 'm',
  messages: [],
  options: {
    temperature: 0,
    parallelToolCalls: false,
    reasoningEffort: 'high',
    stop: ['x'],
    a_new_field: { deep: [true] },
  },
};
export const others: JsonObject = { temperature: 0 };
export const untyped: ProviderRequest = { ...request, options: others };
// @ts-expect-error -- a number
export const wrongTemperature: ProviderRequest = { ...request, options: { temperature: 'hot' } };
// @ts-expect-error -- a function is not JSON
export const wrongField: ProviderRequest = { ...request, options: { a_new_field: () => 1 } };
type Known = Exclude<keyof { [K in keyof ModelOptions as string extends K ? never : K]: 1 }, number | symbol>;
export const known: Known[] = ['maxTokens', 'temperature', 'topP', 'reasoningEffort', 'stop', 'seed'];
