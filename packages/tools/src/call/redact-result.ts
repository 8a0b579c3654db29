import type { Redactor } from '@kernel/internal';
import { KernelError, type ToolResult } from '@kernel/protocol';

/** Redacts everything that a result shows or carries. The `cause` of its error stays: it is for logs and never sent. */
export function redactResult(result: ToolResult, redactor: Redactor): ToolResult {
  const { forUser, data, error, repairs } = result;
  return {
    ...result,
    forLLM: redactor.text(result.forLLM),
    ...(forUser === undefined ? {} : { forUser: redactor.text(forUser) }),
    ...(data === undefined ? {} : { data: redactor.data(data) }),
    ...(repairs === undefined ? {} : { repairs: redactor.data(repairs) }),
    ...(KernelError.is(error) ? { error: redactError(error, redactor) } : {}),
  };
}

function redactError(error: KernelError, redactor: Redactor): KernelError {
  return new KernelError(error.code, redactor.text(error.message), {
    hint: error.hint === undefined ? undefined : redactor.text(error.hint),
    retryable: error.retryable,
    data: redactor.data(error.data),
    cause: error.cause,
  });
}
