import { withAsyncPolicy, withClearedResults, withCompaction, withHooks, withSelectedTools } from '@kernel/agent';
import { withTracing } from '@kernel/agent/otel';
import type { Provider, Toolset } from '@kernel/protocol';
import { createProvider, withFallback, withRateLimit, withRetry, withUsage } from '@kernel/providers';
import { providerConformance, scriptedProvider, startWireServer, toolsetConformance, verifies } from '@kernel/testing';
import { bindTool, createRegistry, type ToolRegistry } from '@kernel/tools';
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

/** What is made of a registry. A snapshot doesn't change with it, and a choice only with the turn. */
const toolsets: readonly (readonly [string, (source: ToolRegistry) => Toolset | Promise<Toolset>])[] = [
  ['a registry', (source) => source],
  ['a view of a registry', (source) => source.view({})],
  ['a snapshot of a registry', (source) => source.snapshot()],
  ['a registry behind hooks', (source) => withHooks(source, { beforeTool: () => {}, afterTool: () => {} })],
  ['a registry behind tracing', (source) => withTracing(source)],
  ['a registry behind an async policy', (source) => withAsyncPolicy(source, { mode: 'await' })],
  [
    'a registry behind a choice of tools',
    async (source) => {
      const tools = withSelectedTools(source, (all) => all);
      await tools.listFor?.({ turn: 1, signal: new AbortController().signal });
      return tools;
    },
  ],
];

describe.each(toolsets)('%s', (kind, make) => {
  const cases = toolsetConformance(async () => {
    const source = registry();
    let added = 0;
    const change = (): void => {
      added += 1;
      source.register(bindTool({ name: `added_${added}`, description: 'Is new.', parameters }, () => 'ok'));
    };
    const subject = { toolset: await make(source), ...names, entered: () => entered };
    return /snapshot|choice/.test(kind) ? subject : { ...subject, change };
  });
  for (const { name, run } of cases)
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
