import {
  isRepeatable,
  KernelError,
  type KernelErrorCode,
  type KernelErrorOptions,
  type Tool,
  toErrorResult,
  type ToolOutcome,
  type ToolResult,
  unreadableResult,
} from '@kernel/protocol';
import { INVALID_PARAMS } from '../../json-rpc.ts';
import { type RequestFailure, toLine } from '../connection/request-failure.ts';

export interface FailedCall {
  readonly tool: Tool;
  readonly server: string;
  readonly timeoutMs: number;
  readonly maxCallMs: number;
  /** When the request was sent, in ms of `performance.now()`. */
  readonly startedMs: number;
  readonly stderrTail: string;
}

/** The result of a call whose request failed: names tool and server, says whether the call ran, and ends with the last lines of stderr. */
export function failureResult(
  failure: RequestFailure,
  { tool, server, timeoutMs, maxCallMs, startedMs, stderrTail }: FailedCall,
  redact: (text: string) => string,
): ToolResult {
  const stderr = stderrTail === '' ? '' : ` Its last lines on stderr:\n${stderrTail}`;
  const data = { tool: tool.name, server };
  const canRepeat = isRepeatable(tool.effect);
  const fail = (code: KernelErrorCode, text: string, more?: KernelErrorOptions, outcome?: ToolOutcome): ToolResult =>
    toErrorResult(new KernelError(code, redact(text), { data, ...more }), outcome);
  switch (failure.kind) {
    case 'timeout': {
      const isTotal = maxCallMs > 0 && performance.now() - startedMs >= maxCallMs - 1;
      const why = isTotal
        ? `sent no result within ${maxCallMs} ms (maxCallMs)`
        : `sent neither a result nor progress for ${timeoutMs} ms`;
      const text = `"${tool.name}" of MCP server "${server}" ${why} and was told to stop; what it did so far is unknown.`;
      const limit = isTotal ? { maxCallMs } : { timeoutMs };
      return fail('TOOL_TIMEOUT', text, { retryable: true, data: { ...data, ...limit } }, 'timeout');
    }
    case 'rpc-error': {
      const code = failure.code === INVALID_PARAMS ? 'ARGUMENTS_INVALID' : 'TOOL_FAILED';
      const text = `MCP server "${server}" refused the call of "${tool.name}": ${toLine(failure.message)} (JSON-RPC ${failure.code}).`;
      return fail(code, text, { data: { ...data, rpcCode: failure.code } });
    }
    case 'not-sent': {
      const text = `MCP server "${server}" ${failure.cause}; "${tool.name}" did not run.${stderr}`;
      return fail('TOOL_UNAVAILABLE', text, { retryable: true });
    }
    case 'unreadable': {
      const why = `MCP server "${server}" responded with something that is not a result: ${failure.cause}.`;
      return canRepeat
        ? fail('TOOL_FAILED', `"${tool.name}" failed: ${why}`)
        : unreadableResult(tool.name, redact(why));
    }
    case 'other':
      return fail('TOOL_FAILED', `MCP server "${server}" ${failure.cause}, in the call of "${tool.name}".${stderr}`);
    case 'lost': {
      const what = `MCP server "${server}" ${failure.cause} during the call of "${tool.name}".`;
      if (canRepeat) return fail('TOOL_FAILED', `${what} The call may be tried again.${stderr}`, { retryable: true });
      const text = `${what} Whether it took effect is unknown: check before calling again.${stderr}`;
      return fail('OUTCOME_UNKNOWN', text, {}, 'unknown');
    }
    default:
      return failure satisfies never;
  }
}
