import { attempt, isObject, MAX_TIMER_MS, sliceHead, untilAborted } from '@kernel/internal';
import {
  errorResult,
  isRepeatable,
  KernelError,
  type KernelErrorCode,
  type RunningCall,
  toErrorResult,
  type Tool,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
  type Toolset,
  unreadableResult,
} from '@kernel/protocol';
import { annotateResult, type ValidatedArguments, validateForeign } from '@kernel/schema';
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { startProgressTimeout } from './call-clock.ts';
import { createdTask } from './remote-task.ts';
import { toToolResult } from './tool-result.ts';
import type { TraceContextOf } from '../connect-options.ts';
import type { Connection } from '../connection/open-connection.ts';
import type { RemoteServer } from '../connection/remote-server.ts';
import { failureResult, toRequestFailure } from '../connection/request-failure.ts';
import type { ApprovedTools } from '../tools/approved-tools.ts';
import { checkOutput } from '../tools/output-check.ts';
import type { RemoteTool } from '../tools/remote-tool.ts';

export interface CallTarget {
  readonly server: RemoteServer;
  readonly tools: Pick<ApprovedTools, 'find' | 'has' | 'isQuarantined' | 'faultOf'>;
  readonly redact: (text: string) => string;
  /** How long the server may send neither a result nor progress. The time in which it waits for the user does not count. */
  readonly timeoutMs: number;
  readonly maxCallMs: number;
  readonly traceContext: TraceContextOf | undefined;
}

/** Prepares the calls of the tools of servers: arguments are validated by the listed schema. Never rejects. */
export function createRemoteCalls(servers: readonly CallTarget[], isClosed: () => boolean): Pick<Toolset, 'prepare'> {
  return {
    prepare(call, { signal }) {
      const { name } = call;
      if (isClosed()) return closedResult(name);
      const target = servers.find(({ tools }) => tools.has(name));
      const tool = target?.tools.find(name)?.tool;
      if (target === undefined || tool === undefined) return unavailableResult(name, target?.tools);
      if (signal.aborted) return cancelledResult(name);
      const validated = validateForeign(tool, call.arguments);
      if (validated.error !== undefined) return annotateResult(toErrorResult(validated.error), validated);
      return {
        tool,
        arguments: JSON.stringify(validated.input),
        async run(running) {
          if (isClosed()) return closedResult(name);
          const result = await runRemoteCall(call, tool, validated, running, target);
          // A call that was sent says itself what is known of it.
          return isClosed() && result.code === 'TOOL_UNAVAILABLE' ? closedResult(name) : result;
        },
      };
    },
  };
}

function closedResult(name: string): ToolResult {
  return failedResult('TOOL_UNAVAILABLE', name, 'is not available: the MCP connection is closed.');
}

function cancelledResult(name: string, how = 'was cancelled before it started.'): ToolResult {
  return failedResult('TOOL_CANCELLED', name, how, 'cancelled');
}

function failedResult(
  code: KernelErrorCode,
  tool: string,
  why: string,
  outcome?: ToolOutcome,
  hint?: string,
): ToolResult {
  return toErrorResult(new KernelError(code, `"${tool}" ${why}`, { hint, data: { tool } }), outcome);
}

/** Runs a prepared call on its server, if the tool is still the one that it was prepared for. Never rejects. On abort it settles at once and notifies the server. */
async function runRemoteCall(
  { name }: ToolCall,
  offered: Tool,
  checked: ValidatedArguments,
  context: RunningCall,
  target: CallTarget,
): Promise<ToolResult> {
  const { server, tools } = target;
  if (context.signal.aborted) return cancelledResult(name);
  let isRetry = false;
  let hasShownPages = false;
  for (;;) {
    let connection: Connection;
    try {
      connection = await untilAborted(server.connection(), context.signal);
    } catch (error) {
      if (context.signal.aborted) return cancelledResult(name);
      return KernelError.is(error)
        ? toErrorResult(error)
        : errorResult(`TOOL_UNAVAILABLE: "${name}" is not available.`, error);
    }
    // A server that has restarted may list another definition now.
    const remote = tools.find(name);
    if (remote === undefined) return unavailableResult(name, tools);
    const { tool } = remote;
    const startedMs = performance.now();
    if (tool !== offered) {
      const why = 'was not run: the tool or its arguments have changed since the approval.';
      return failedResult('TOOL_DENIED', name, why, 'denied', 'Call it again to ask for approval of what it is now.');
    }
    try {
      const result = await request(connection, remote, isObject(checked.input) ? checked.input : {}, context, target);
      const mismatch = checkOutput(tool, result);
      const isEmpty = result.content.length === 0 && result.structuredContent === undefined;
      const converted =
        mismatch !== undefined && isEmpty
          ? invalidOutputResult(tool, target, mismatch)
          : toToolResult(result, remote.app.uri !== undefined, mismatch && target.redact(sliceHead(mismatch, 400)));
      return annotateResult(converted, checked);
    } catch (error) {
      if (context.signal.aborted)
        return cancelledResult(
          name,
          `was cancelled; MCP server "${server.config.name}" was told to stop, and what it did so far is unknown.`,
        );
      const failure = toRequestFailure(error, connection.link);
      // Other failures concern this request alone, and a program that has ended was dropped already.
      if (failure.kind === 'not-sent') server.drop(connection);
      if (failure.kind === 'not-sent' && !isRetry) {
        isRetry = true;
        continue;
      }
      if (!hasShownPages && (await showRequiredPages(error, connection, context.signal).catch(() => false))) {
        hasShownPages = true;
        continue;
      }
      return failureResult(failure, tool, server.config.name, startedMs, connection.link, target);
    }
  }
}

/** The result for a tool that is not on offer: unknown to all servers, or quarantined or faulty on that of `tools`. */
function unavailableResult(name: string, tools: CallTarget['tools'] | undefined): ToolResult {
  const fault = tools?.faultOf(name);
  if (fault !== undefined) return failedResult('TOOL_UNAVAILABLE', name, `cannot be used: ${fault}.`);
  const data = { tool: name };
  const error =
    tools?.isQuarantined(name) === true
      ? new KernelError('TOOL_UNAVAILABLE', `the description of "${name}" has changed and is not approved.`, { data })
      : new KernelError('TOOL_NOT_FOUND', `no MCP server offers a tool "${name}".`, { data });
  return toErrorResult(error);
}

async function request(
  connection: Connection,
  { name, tool }: RemoteTool,
  input: { readonly [name: string]: unknown },
  context: RunningCall,
  { server, timeoutMs, maxCallMs, traceContext }: CallTarget,
): Promise<CallToolResult> {
  const timeout = startProgressTimeout(timeoutMs, maxCallMs, () => connection.lastAskedMs());
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  const onProgress = (text: string): void => {
    try {
      if (!context.signal.aborted) context.onProgress?.(text);
    } catch {
      // An error of the listener must not fail the call.
    }
  };
  try {
    const result = await connection.client.callTool(
      { name, arguments: input, ...(traceContext && { _meta: attempt(traceContext) }) },
      {
        // For the arguments that are sent as headers, too.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `readListedTool` asks for the type
        toolDefinition: { name, inputSchema: tool.parameters as { readonly type: 'object' } },
        signal,
        timeout: MAX_TIMER_MS, // the SDK's own timeout does not know when the user is asked
        onprogress: (progress) => {
          timeout.restart();
          onProgress(progressText(progress));
        },
      },
    );
    const task = createdTask(result);
    if (task === undefined) return result;
    const { awaitTask } = await import('./await-task.ts');
    const reconnect = (): Promise<Connection> => untilAborted(server.connection(), signal);
    const onAlive = timeout.restart;
    return await awaitTask(task, { connection, reconnect, signal, timeoutMs, onAlive, onProgress });
  } finally {
    timeout.stop();
  }
}

function invalidOutputResult({ effect, name }: Tool, { server, redact }: CallTarget, mismatch: string): ToolResult {
  const { config } = server;
  const issue = sliceHead(mismatch, 400);
  if (!isRepeatable(effect)) {
    const why = `it does not match the output schema of MCP server "${config.name}": ${issue}.`;
    return unreadableResult(name, redact(why));
  }
  const text = `the result of "${name}" of MCP server "${config.name}" does not match its output schema: ${issue}.`;
  return toErrorResult(new KernelError('TOOL_FAILED', redact(text), { data: { tool: name, server: config.name } }));
}

function progressText({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined || message === '' ? share : message;
}

/** What a server of 2025-11-25 answers to a call that has to wait until the user was at a page. */
const URL_ELICITATION_REQUIRED = -32_042;

/**
 * Shows the user the pages that a server has refused a call for. Resolves to true if the user has agreed to all of
 * them: then the call may be made again, for it did not run.
 */
async function showRequiredPages(error: unknown, connection: Connection, signal: AbortSignal): Promise<boolean> {
  if (!isObject(error) || error['code'] !== URL_ELICITATION_REQUIRED || !isObject(error['data'])) return false;
  const { elicitations } = error['data'];
  if (!Array.isArray(elicitations) || elicitations.length === 0) return false;
  for (const page of elicitations as readonly unknown[]) {
    const question = { method: 'elicitation/create', params: { ...(isObject(page) ? page : {}), mode: 'url' } };
    // oxlint-disable-next-line no-await-in-loop -- a person is asked one after the other
    const answer = await connection.answer(question, signal);
    if (!isObject(answer) || answer['action'] !== 'accept') return false;
  }
  return true;
}
