import { callTool } from '@kernel/protocol';
import { traceContext, withTracing } from '@kernel/agent/otel';
import { connectMcp, isMcpCall, serveHttp } from '@kernel/mcp';
import { verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, onTestFinished, test } from 'vitest';

test('the call of an agent and its work on the server are one trace', async () => {
  verifies('mcp.trace');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  onTestFinished(() => {
    context.disable();
    propagation.disable();
  });
  const exporter = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('test');
  const registry = createRegistry([bindTool({ name: 'add', description: 'Adds.', parameters: {} }, () => '3')]);
  const served = withTracing(registry, {
    tracer,
    parentOf: (call) => (isMcpCall(call) ? call.mcp.mcpReq['_meta'] : undefined),
  });
  const server = await serveHttp(served);
  onTestFinished(() => server.close());
  const remote = await connectMcp({ mcpServers: { math: { url: server.url } } }, { traceContext });
  onTestFinished(() => remote.close());
  const call = { type: 'tool-call', id: '1', name: 'mcp__math__add', arguments: '{}' } as const;
  await callTool(withTracing(remote, { tracer }), call, { signal: AbortSignal.timeout(10_000) });
  const [there, here] = exporter.getFinishedSpans();
  expect([there?.name, here?.name]).toEqual(['execute_tool add', 'execute_tool mcp__math__add']);
  expect(there?.spanContext().traceId).toBe(here?.spanContext().traceId);
  expect(there?.parentSpanContext?.spanId).toBe(here?.spanContext().spanId);
});
