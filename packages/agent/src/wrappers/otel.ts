/** OpenTelemetry spans, by the GenAI semantic conventions. The only module of this package that loads `@opentelemetry/api`, an optional peer. */
import {
  type AgentEvent,
  type CallContext,
  isToolResult,
  KernelError,
  type MessageEnd,
  type PreparedCall,
  type Provider,
  textOf,
  type ToolCall,
  type ToolResult,
  toModelText,
  type Toolset,
  type Usage,
  wrapProvider,
  wrapToolset,
} from '@kernel/protocol';
import {
  type Attributes,
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { stopOnReturn } from '../iteration/async-generator.ts';

/** How spans are made. */
export interface TracingOptions {
  /** Default: the tracer named `@kernel/agent` of the global tracer provider. */
  readonly tracer?: Tracer | undefined;
  /** Whether spans record arguments, results and texts. Default false: these may be confidential. */
  readonly captureContent?: boolean | undefined;
  /**
   * The trace context that came with a call, such as `context.mcp.mcpReq._meta` of a call over MCP: its span is then part of the caller's trace. Read by
   * OpenTelemetry's global propagator.
   */
  readonly parentOf?: ((context: CallContext) => object | undefined) | undefined;
}

/** Wraps a provider so that each reply is a span `chat <model>`, with usage and finish reason. */
export function withTracing(port: Provider, options?: TracingOptions): Provider;
/** Wraps a toolset so that each call is a span `execute_tool <name>`. */
export function withTracing(port: Toolset, options?: TracingOptions): Toolset;
export function withTracing(port: Provider | Toolset, options: TracingOptions = {}): Provider | Toolset {
  return 'stream' in port ? tracedProvider(port, options) : tracedToolset(port, options);
}

/**
 * Returns the trace context of the active span, with fields such as `traceparent` (W3C), as OpenTelemetry's global propagator writes it: what a call takes to another process,
 * for example `connectMcp(config, { traceContext })`.
 */
export function traceContext(): Readonly<Record<string, string>> {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

/**
 * Makes a whole run a span `invoke_agent <name>`, the parent of the spans of its replies and calls.
 *
 * @example
 * ```ts
 * import { run } from '@kernel/agent';
 * import { traceRun, withTracing } from '@kernel/agent/otel';
 * import { createProvider } from '@kernel/providers';
 *
 * const messages = [{ role: 'user', content: 'Why is the sky blue?' }] as const;
 * const provider = withTracing(createProvider({ name: 'ollama' }));
 * for await (const event of traceRun(run({ provider, model: 'qwen3', messages }), { name: 'calculator' }))
 *   console.log(event.type);
 * ```
 */
export function traceRun<Output = unknown>(
  events: AsyncGenerator<AgentEvent<Output>, void>,
  options: TracingOptions & {
    /** The name of the agent: `gen_ai.agent.name` of the span. */
    readonly name: string;
  },
): AsyncGenerator<AgentEvent<Output>, void> {
  return stopOnReturn(traceEvents(events, options), () => void events.return());
}

async function* traceEvents<Output>(
  events: AsyncGenerator<AgentEvent<Output>, void>,
  { name, ...options }: TracingOptions & { readonly name: string },
): AsyncGenerator<AgentEvent<Output>, void> {
  const span = startSpan(options, `invoke_agent ${name}`, SpanKind.INTERNAL, {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': name,
  });
  const spanContext = trace.setSpan(context.active(), span);
  try {
    for (;;) {
      // The run starts at its first next(), so that one must run within the span.
      const next = await context.with(spanContext, () => events.next());
      if (next.done === true) return;
      if (next.value.type === 'run-end') {
        span.setAttributes({ ...usageAttributes(next.value.usage), 'kernel.run.reason': next.value.reason });
        if (next.value.reason === 'error') markFailed(span, next.value.error);
      }
      yield next.value;
    }
  } catch (error) {
    markFailed(span, error);
    throw error;
  } finally {
    await events.return();
    span.end();
  }
}

function tracedProvider(provider: Provider, options: TracingOptions): Provider {
  return wrapProvider(provider, {
    async *stream(request) {
      const span = startSpan(options, `chat ${request.model}`, SpanKind.CLIENT, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider.name,
        'gen_ai.request.model': request.model,
      });
      try {
        for await (const event of provider.stream(request)) {
          // The reply is there: what its reader does next is no part of it.
          if (event.type === 'message-end') span.setAttributes(replyAttributes(event, options)).end();
          yield event;
        }
      } catch (error) {
        markFailed(span, error);
        throw error;
      } finally {
        if (span.isRecording()) span.end();
      }
    },
  });
}

function tracedToolset(tools: Toolset, options: TracingOptions): Toolset {
  const startToolSpan = (call: ToolCall, callContext: CallContext) => {
    const parent = options.parentOf?.(callContext);
    const active = parent === undefined ? context.active() : propagation.extract(context.active(), parent);
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': call.name,
      'gen_ai.tool.call.id': call.id,
      ...(options.captureContent === true ? { 'gen_ai.tool.call.arguments': call.arguments } : {}),
    };
    const span = startSpan(options, `execute_tool ${call.name}`, SpanKind.INTERNAL, attributes, active);
    return { span, spanContext: trace.setSpan(active, span) };
  };
  const endSpan = (span: Span, result: ToolResult): void => {
    if (result.isError === true) markFailed(span, result.error, result.code);
    if (options.captureContent === true) span.setAttribute('gen_ai.tool.call.result', toModelText(result));
    span.end();
  };
  return wrapToolset(tools, {
    prepare(call, callContext) {
      const traced = (prepared: PreparedCall | ToolResult): PreparedCall | ToolResult => {
        if (isToolResult(prepared)) {
          endSpan(startToolSpan(call, callContext).span, prepared);
          return prepared;
        }
        return {
          ...prepared,
          async run(running) {
            const { span, spanContext } = startToolSpan(call, callContext);
            const result = await context
              .with(spanContext, () => prepared.run(running))
              .catch((error: unknown) => {
                span.end();
                throw error;
              });
            endSpan(span, result);
            return result;
          },
        };
      };
      const prepared = tools.prepare(call, callContext);
      return prepared instanceof Promise ? prepared.then(traced) : traced(prepared);
    },
  });
}

function startSpan(
  { tracer }: TracingOptions,
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  parent?: Context,
): Span {
  return (tracer ?? trace.getTracer('@kernel/agent')).startSpan(name, { kind, attributes }, parent);
}

function replyAttributes({ message, finishReason, usage }: MessageEnd, { captureContent }: TracingOptions): Attributes {
  return {
    'gen_ai.response.finish_reasons': [finishReason],
    ...(usage === undefined ? {} : usageAttributes(usage)),
    ...(captureContent === true ? { 'gen_ai.output.messages': textOf(message) } : {}),
  };
}

function usageAttributes(usage: Usage): Attributes {
  return { 'gen_ai.usage.input_tokens': usage.inputTokens, 'gen_ai.usage.output_tokens': usage.outputTokens };
}

/** Marks a span as failed, with the error's code alone: its message may be confidential. */
function markFailed(span: Span, error: unknown, code?: string): void {
  const type = code ?? (KernelError.is(error) ? error.code : '_OTHER');
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
