import {
  type CallContext,
  type JsonObject,
  KernelError,
  type ToolCall,
  type ToolResult,
  errorResult,
  toErrorResult,
} from '@kernel/protocol';
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { readArguments } from './arguments.ts';
import { LONGEST_TIMER_MS } from '../longest-timer.ts';
import type { Connection } from './connection.ts';
import { toToolResult } from './content.ts';
import { toFault, toFaultResult } from './faults.ts';
import type { Session } from './session.ts';
import type { Shelf } from './shelf.ts';

/** Where a call goes. */
export interface CallTarget {
  readonly connection: Connection;
  readonly shelf: Shelf;
  readonly redact: (text: string) => string;
  /** How long a server may give neither answer nor progress. The time in which it waits for the user does not count. */
  readonly timeoutMs: number;
}

/** Runs one call on its server. Never rejects; an abort tells the server to stop and settles at once. */
export async function callRemote(call: ToolCall, context: CallContext, target: CallTarget): Promise<ToolResult> {
  const { name } = call;
  const input = readArguments(call.arguments, name);
  if (KernelError.is(input)) return toErrorResult(input);
  if (context.signal.aborted) return cancelled(name, 'was cancelled before it started.');
  let wasUnsent = false;
  for (;;) {
    let session: Session;
    try {
      session = await untilAborted(target.connection.ready(), context.signal);
    } catch (error) {
      if (context.signal.aborted) return cancelled(name, 'was cancelled before it started.');
      return KernelError.is(error)
        ? toErrorResult(error)
        : errorResult(`TOOL_UNAVAILABLE: "${name}" is not available.`, error);
    }
    // A server that was started anew may describe the tool in another way now.
    const found = target.shelf.find(name);
    if (found === undefined) return heldOrGone(name, target);
    const { tool } = found;
    try {
      const answer = await request(session, found.name, input, context, target.timeoutMs);
      const wrong = session.checkOutput(tool, answer);
      return wrong === undefined ? toToolResult(answer) : wrongOutput(name, target, wrong);
    } catch (error) {
      if (context.signal.aborted)
        return cancelled(
          name,
          `was cancelled; MCP server "${target.connection.server.name}" was told to stop, and what it did so far is unknown.`,
        );
      const fault = toFault(error, session.link);
      // One answer that was cut off says nothing of the others; a program that ended has dropped itself.
      if (fault.kind === 'unsent') target.connection.drop(session);
      if (fault.kind === 'unsent' && !wasUnsent) {
        wasUnsent = true;
        continue;
      }
      const { server } = target.connection;
      return toFaultResult(fault, tool, server.name, target.timeoutMs, target.redact, session.link.lastWords());
    }
  }
}

/** The result for a tool that is on offer nowhere, or kept out. */
export function heldOrGone(name: string, target: Pick<CallTarget, 'shelf'> | undefined): ToolResult {
  if (target?.shelf.isHeld(name) === true)
    return toErrorResult(
      new KernelError('TOOL_UNAVAILABLE', `the description of "${name}" has changed and is not approved.`, {
        data: { tool: name },
      }),
    );
  return toErrorResult(
    new KernelError('TOOL_NOT_FOUND', `no MCP server offers a tool "${name}".`, { data: { tool: name } }),
  );
}

async function request(
  session: Session,
  name: string,
  input: JsonObject,
  context: CallContext,
  timeoutMs: number,
): Promise<CallToolResult> {
  const clock = startClock(timeoutMs, () => session.askedUntilMs());
  try {
    return await session.client.request(
      { method: 'tools/call', params: { name, arguments: { ...input } } },
      {
        signal: AbortSignal.any([context.signal, clock.signal]),
        timeout: LONGEST_TIMER_MS, // ours knows when the user is asked
        onprogress: (progress) => {
          clock.restart();
          try {
            if (!context.signal.aborted) context.onProgress?.(progressText(progress));
          } catch {
            // A listener's fault is not the server's.
          }
        },
      },
    );
  } finally {
    clock.stop();
  }
}

/** The clock of one call, whose abort the SDK tells as `REQUEST_TIMEOUT`; 0 is none. It counts from the start, a restart or `heldUntilMs()` on. */
function startClock(timeoutMs: number, heldUntilMs: () => number) {
  const clock = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number): void => {
    timer = setTimeout(expire, Math.min(ms, LONGEST_TIMER_MS));
  };
  const expire = (): void => {
    const restMs = heldUntilMs() + timeoutMs - performance.now();
    if (restMs > 0) wait(restMs);
    else clock.abort(new Error('the clock of the call ran out'));
  };
  const stop = (): void => clearTimeout(timer);
  const restart = (): void => {
    stop();
    if (timeoutMs > 0) wait(timeoutMs);
  };
  restart();
  return { signal: clock.signal, restart, stop };
}

function wrongOutput(name: string, { connection, redact }: CallTarget, wrong: string): ToolResult {
  const { server } = connection;
  const text = `the answer of "${name}" of MCP server "${server.name}" breaks its output schema: ${wrong.slice(0, 400)}.`;
  return toErrorResult(new KernelError('TOOL_FAILED', redact(text), { data: { tool: name, server: server.name } }));
}

/** The server's message, or how far it is. */
function progressText({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined || message === '' ? share : message;
}

function cancelled(name: string, how: string): ToolResult {
  return toErrorResult(new KernelError('TOOL_CANCELLED', `"${name}" ${how}`, { data: { tool: name } }), 'cancelled');
}

/** Settles like `work`, or rejects with the signal's reason at once on its abort. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    void work.finally(() => signal.removeEventListener('abort', leave)).then(resolve, reject);
  });
}
