import { withAsyncPolicy, withClearedResults, withCompaction, withHooks, withSelectedTools } from '@kernel/agent';
import { withTracing } from '@kernel/agent/otel';
import type { Provider, Toolset } from '@kernel/protocol';
import { createProvider, withFallback, withRateLimit, withRetry, withUsage } from '@kernel/providers';
import { providerConformance, scriptedProvider, startWireServer, toolsetConformance, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { describe, test } from 'vitest';

const parameters = { type: 'object', properties: {} };
const names = { answers: 'answers', throws: 'throws', hangs: 'hangs', stops: 'stops' };

let entered = 0;

function registry() {
  return createRegistry([
    bindTool({ name: 'answers', description: 'Answers.', parameters }, () => {
      entered += 1;
      return 'ok';
    }),
    bindTool({ name: 'throws', description: 'Throws.', parameters }, () => {
      entered += 1;
      throw new Error('broken');
    }),
    bindTool({ name: 'hangs', description: 'Hangs.', parameters }, () => new Promise(() => {})),
    bindTool(
      { name: 'stops', description: 'Stops.', parameters },
      (_input, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ),
  ]);
}

const toolsets: readonly (readonly [string, () => Toolset | Promise<Toolset>])[] = [
  ['a registry', registry],
  ['a view of a registry', () => registry().view({})],
  ['a snapshot of a registry', () => registry().snapshot()],
  ['a registry behind hooks', () => withHooks(registry(), { beforeTool: () => {}, afterTool: () => {} })],
  ['a registry behind tracing', () => withTracing(registry())],
  ['a registry behind an async policy', () => withAsyncPolicy(registry(), { mode: 'await' })],
  [
    'a registry behind a choice of tools',
    async () => {
      const tools = withSelectedTools(registry(), (all) => all);
      await tools.listFor?.({ turn: 1, signal: new AbortController().signal });
      return tools;
    },
  ],
];

describe.each(toolsets)('%s', (_name, make) => {
  for (const { name, run } of toolsetConformance(async () => ({
    toolset: await make(),
    ...names,
    entered: () => entered,
  })))
    // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- the case has both
    test(name, run);
});

const wrappers: readonly (readonly [string, (provider: Provider) => Provider])[] = [
  ['hooks', (provider) => withHooks(provider, { afterModel: () => {} })],
  ['compaction', (provider) => withCompaction(provider, { maxTokens: 1000 })],
  ['cleared results', (provider) => withClearedResults(provider)],
  ['tracing', (provider) => withTracing(provider)],
  ['every policy', (provider) => withUsage(withRetry(withFallback([withRateLimit(provider, {})])))],
];

describe.each(wrappers)('a provider behind %s', (_name, wrap) => {
  for (const { name, run } of providerConformance((script) => ({ provider: wrap(scriptedProvider(script)) })))
    // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- the case has both
    test(name, run);
});

describe('the built chat-completions wire', () => {
  const cases = providerConformance(async (script) => {
    const server = await startWireServer({ replies: script });
    const provider = createProvider({ name: 'openai', baseUrl: server.baseUrl });
    return { provider, close: () => server.close() };
  });
  for (const { name, run } of cases)
    // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- the case has both
    test(name, async () => {
      verifies('providers.port');
      await run();
    });
});
