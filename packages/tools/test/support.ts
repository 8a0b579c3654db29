import {
  type CallContext,
  isToolResult,
  type JsonObject,
  KernelError,
  type PreparedCall,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
  type Toolset,
} from '@kernel/protocol';
import { type BindingOptions, type ToolBinding, bindTool } from '../src/index.ts';

/** A context whose signal never aborts. */
export function context(overrides: Partial<CallContext> = {}): CallContext {
  return { signal: new AbortController().signal, ...overrides };
}

let calls = 0;

/** A call as a provider delivers it. */
export function toolCall(name: string, args: unknown = {}): ToolCall {
  calls += 1;
  return {
    type: 'tool-call',
    id: `call-${calls}`,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  };
}

/** What a toolset makes of a call that can run. */
export async function preparedCall(
  toolset: Toolset,
  call: ToolCall,
  at: CallContext = context(),
): Promise<PreparedCall> {
  const prepared: PreparedCall | ToolResult = await toolset.prepare(call, at);
  if (isToolResult(prepared)) throw new Error(`It cannot run: ${prepared.forLLM}`);
  return prepared;
}

/** A tool that accepts anything and returns its name. */
export function simple(
  name: string,
  extra: Partial<Tool> = {},
  handler: (input: JsonObject, context: ToolContext) => unknown = () => name,
  options: BindingOptions = {},
): ToolBinding {
  return bindTool({ name, description: `Does ${name}.`, parameters: { type: 'object' }, ...extra }, handler, options);
}

/** The error code and outcome of a result, for short assertions. */
export function codeAndOutcome(result: ToolResult): string {
  return `${result.code ?? 'ok'} ${result.outcome ?? 'done'}`;
}

/** Waits for `ms` milliseconds. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** A promise and the function that resolves it. */
export function latch(): { readonly promise: Promise<void>; readonly release: () => void } {
  let resolve: (() => void) | undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, release: () => resolve?.() };
}

/** The `KernelError` that a function throws. */
export function caught(work: () => unknown): KernelError {
  try {
    work();
  } catch (error) {
    if (KernelError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
