import { isObject, nearest } from '@kernel/internal';
import type { JsonObject } from '@kernel/protocol';
import { block, expected, jsonObject, numberFrom, present, text, wholeNumberFrom } from './setting-schemas.ts';
import { CAPABILITIES, type ModelConfig, type TokenPrices } from './types.ts';

const MISSING_PRICE = 'is missing: give what a million tokens cost';
const price = numberFrom(0);

const pricesSchema = block({
  input: price.optional(),
  output: price.optional(),
  cached_input: price.optional(),
  cache_write: price.optional(),
}).transform(({ input, output, cached_input, cache_write }, context): TokenPrices => {
  if (input === undefined) context.addIssue({ code: 'custom', path: ['input'], message: MISSING_PRICE });
  if (output === undefined) context.addIssue({ code: 'custom', path: ['output'], message: MISSING_PRICE });
  return { input: input ?? 0, output: output ?? 0, ...present({ cachedInput: cached_input, cacheWrite: cache_write }) };
});

const capabilitiesSchema = jsonObject.transform((capabilities, context): ModelConfig['capabilities'] => {
  const entries = Object.entries(capabilities).flatMap(
    ([name, options]): readonly (readonly [string, JsonObject])[] => {
      const refuse = (message: string, ...path: readonly string[]): void =>
        context.addIssue({ code: 'custom', path: [name, ...path], message });
      if (!CAPABILITIES.some((capability) => capability === name)) {
        const [near] = nearest(name, CAPABILITIES, 1);
        const hint = near === undefined ? `the capabilities are ${CAPABILITIES.join(', ')}` : `did you mean "${near}"?`;
        refuse(`is not a capability; ${hint}`);
        return [];
      }
      if (!isJsonObject(options)) {
        refuse(expected('an object of options')({ input: options }));
        return [];
      }
      if (name !== 'tools' && Object.hasOwn(options, 'tool_choice'))
        refuse('has no effect: only the capability "tools" has tools to choose from', 'tool_choice');
      return [[name, options]];
    },
  );
  return Object.fromEntries(entries);
});

export const modelSchema = block({
  name: text.optional(),
  capabilities: capabilitiesSchema.prefault({}),
  prices: pricesSchema.optional(),
  context_tokens: wholeNumberFrom(1).optional(),
}).transform(({ name, capabilities, prices, context_tokens }): ModelConfig => ({
  ...present({ name, prices, contextTokens: context_tokens }),
  capabilities,
}));

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}
