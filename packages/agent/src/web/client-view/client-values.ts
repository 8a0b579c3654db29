import { errorMessage } from '@kernel/internal';
import {
  KERNEL_ERROR_CODES,
  KernelError,
  type KernelErrorCode,
  type Message,
  textOf,
  toModelText,
  type ToolCall,
  toolCallsOf,
  TOOL_OUTCOMES,
  type ToolResult,
} from '@kernel/protocol';
import type {
  ClientCall,
  ClientError,
  ClientMessage,
  ClientCallResult,
  ClientResult,
  ClientStatus,
} from './client-event-types.ts';
import type { ClientField } from './client-field.ts';

export type Shown = ReadonlySet<ClientField>;

export function toClientCall({ id, name, arguments: text }: ToolCall, shown: Shown): ClientCall {
  return { callId: id, name, ...(shown.has('arguments') ? { arguments: text } : {}) };
}

export function toClientCallResult(callId: string, result: ToolResult, shown: Shown): ClientCallResult {
  const { isError = false, outcome = 'done', code = 'TOOL_FAILED' } = result;
  const status: ClientStatus = isError && outcome === 'done' ? 'failed' : outcome;
  if (isError) return { callId, status, error: toClientError(code, toModelText(result), shown) };
  return { callId, status, ...(shown.has('results') ? { result: toClientResult(result) } : {}) };
}

function toClientResult({ forLLM, forUser, silent = false, data }: ToolResult): ClientResult {
  return {
    text: forLLM,
    ...(forUser === undefined || silent ? {} : { forUser }),
    ...(data === undefined ? {} : { data }),
  };
}

/** Returns an error as a client may see it: with its own message, or with one that says only what kind of error it is. */
export function toClientError(code: KernelErrorCode, message: string, shown: Shown): ClientError {
  return { code, message: shown.has('errors') ? message : genericMessage(code) };
}

/** Returns whatever was thrown as a client may see it. */
export function thrownToClientError(error: unknown, shown: Shown): ClientError {
  if (KernelError.is(error)) return toClientError(error.code, error.message, shown);
  return toClientError('PROVIDER_PROTOCOL', errorMessage(error), shown);
}

function genericMessage(code: KernelErrorCode): string {
  if (code.startsWith('PROVIDER_')) return 'The model could not be reached or did not answer.';
  if (code.startsWith('TOOL_') || code === 'ARGUMENTS_INVALID' || code === 'OUTCOME_UNKNOWN')
    return 'The tool did not succeed.';
  return 'The run failed.';
}

/** Returns a message as a client may see it; undefined for a system message. `logged` says how the call of a result ended, as far as a log does. */
export function toClientMessage(
  message: Message,
  shown: Shown,
  logged: Pick<ToolResult, 'outcome' | 'code'> = {},
): ClientMessage | undefined {
  switch (message.role) {
    case 'system':
      return undefined;
    case 'user':
      return { role: 'user', text: textOf(message) };
    case 'assistant': {
      const reasoning = message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('');
      return {
        role: 'assistant',
        text: textOf(message),
        calls: toolCallsOf(message).map((call) => toClientCall(call, shown)),
        ...(shown.has('reasoning') && reasoning !== '' ? { reasoning } : {}),
      };
    }
    case 'tool': {
      const { toolCallId, name, isError = false } = message;
      const outcome = TOOL_OUTCOMES.find((each) => each === logged.outcome) ?? 'done';
      const code = KERNEL_ERROR_CODES.find((each) => each === logged.code);
      return {
        role: 'tool',
        name,
        ...toClientCallResult(toolCallId, { forLLM: textOf(message), isError, outcome, ...(code && { code }) }, shown),
      };
    }
  }
}
