import { KernelError, type ToolResult } from '@kernel/protocol';

/** What a model may read of a thrown value: its message in a few lines, without stack, program path or class name. */
export function describeFailure(error: unknown): string {
  const text = messageOf(error)
    .split('\n')
    .filter((line) => !/^\s*at\s/.test(line))
    .join('\n')
    .trim();
  const safe = text.replaceAll(PROGRAM_PATH, (_path: string, file: string) => file);
  return safe === '' ? 'it gave no reason.' : safe.slice(0, 2000);
}

/** Takes secrets out of what a result shows and out of its error's message. The error's `cause` stays as it is: it is for logs and never sent. */
export function withoutSecrets(result: ToolResult, secrets: readonly string[]): ToolResult {
  const { forUser, error } = result;
  return {
    ...result,
    forLLM: redact(result.forLLM, secrets),
    ...(forUser === undefined ? {} : { forUser: redact(forUser, secrets) }),
    ...(KernelError.is(error)
      ? {
          error: new KernelError(error.code, redact(error.message, secrets), {
            hint: error.hint === undefined ? undefined : redact(error.hint, secrets),
            retryable: error.retryable,
            data: error.data,
            cause: error.cause,
          }),
        }
      : {}),
  };
}

function redact(text: string, secrets: readonly string[]): string {
  let safe = text;
  for (const secret of secrets) if (secret.length > 3) safe = safe.replaceAll(secret, '[redacted]');
  return safe;
}

/** A file URL, anything below node_modules, or a source file with a line number: never a path that a user or model wrote. */
const PROGRAM_PATH =
  /(?:file:\/\/\S*\/|(?:[A-Za-z]:)?[\\/][^\s'"():]*[\\/]node_modules[\\/][^\s'"():]*[\\/]|(?:[A-Za-z]:)?[\\/][^\s'"():]*[\\/](?=[^\s'"():/\\]+\.[cm]?[jt]sx?:\d+))([^\s'"()/\\]*)/g;

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (typeof error === 'string') return error;
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    return 'it threw something that cannot be shown.';
  }
}
