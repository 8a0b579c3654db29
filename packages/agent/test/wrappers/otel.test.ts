import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { KernelError } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider } from '@kernel/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run } from '../../src/index.ts';
import { traceRun, withTracing } from '../../src/wrappers/otel.ts';
import { readAll, user } from '../support.ts';

const exporter = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('test');
const manager = new AsyncLocalStorageContextManager();

beforeAll(() => void context.setGlobalContextManager(manager.enable()));
afterAll(() => {
  context.disable();
  trace.disable();
});
beforeEach(() => exporter.reset());

const secret = 'p4ssw0rd';

function traced(captureContent: boolean) {
  const provider = scriptedProvider([
    { calls: [{ name: 'a', arguments: { secret } }, { name: 'b' }], usage: { inputTokens: 5, outputTokens: 2 } },
    { text: `The secret is ${secret}`, usage: { inputTokens: 7, outputTokens: 3 } },
  ]);
  const failure = { forLLM: '', isError: true, code: 'TOOL_FAILED', error: new Error(secret) } as const;
  const tools = mockToolset([mockTool('a', secret), mockTool('b', failure)]);
  const options = { tracer, captureContent };
  return traceRun(
    run({
      provider: withTracing(provider, options),
      model: 'm',
      messages: [user('Go')],
      tools: withTracing(tools, options),
    }),
    { ...options, name: 'helper' },
  );
}

test('a run, its replies and its calls are spans by the GenAI conventions, the run their parent', async () => {
  await readAll(traced(false));
  const spans = exporter.getFinishedSpans();
  expect(spans.map(({ name }) => name)).toEqual([
    'chat m',
    'execute_tool a',
    'execute_tool b',
    'chat m',
    'invoke_agent helper',
  ]);
  const [reply, , failed] = spans;
  const root = spans.at(-1);
  expect(spans.slice(0, -1).every((span) => span.parentSpanContext?.spanId === root?.spanContext().spanId)).toBe(true);
  expect(reply?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'scripted',
    'gen_ai.request.model': 'm',
    'gen_ai.response.finish_reasons': ['tool-calls'],
    'gen_ai.usage.input_tokens': 5,
    'gen_ai.usage.output_tokens': 2,
  });
  expect(failed?.attributes['error.type']).toBe('TOOL_FAILED');
  expect(failed?.status.code).toBe(SpanStatusCode.ERROR);
  expect(root?.attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 12, 'kernel.run.reason': 'done' });
});

test('arguments, results and texts are in no span unless asked', async () => {
  const dump = () =>
    JSON.stringify(
      exporter.getFinishedSpans().map(({ attributes, events, status }) => ({ attributes, events, status })),
    );
  await readAll(traced(false));
  expect(dump()).not.toContain(secret);
  exporter.reset();
  await readAll(traced(true));
  expect(dump()).toContain(secret);
});

test('a run that is left, and one that fails, end their spans', async () => {
  for await (const event of traced(false)) if (event.type === 'tool-start') break;
  expect(exporter.getFinishedSpans().at(-1)?.name).toBe('invoke_agent helper');
  exporter.reset();
  const provider = withTracing(scriptedProvider([{ error: new KernelError('PROVIDER_HTTP', secret) }]), { tracer });
  await readAll(traceRun(run({ provider, model: 'm', messages: [user('Go')] }), { tracer, name: 'x' }));
  expect(exporter.getFinishedSpans().map(({ attributes }) => attributes['error.type'])).toEqual([
    'PROVIDER_HTTP',
    'PROVIDER_HTTP',
  ]);
});
