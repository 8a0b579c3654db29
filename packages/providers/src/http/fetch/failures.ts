import { errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** The `fetch` of Node has it as the cause of "fetch failed". */
export function failureOf(error: unknown): unknown {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // The timeouts of a `fetch` are not those of the config: they count as failures of the connection.
  if (codeOf(cause)?.startsWith('UND_ERR_') === true && codeOf(cause)?.endsWith('_TIMEOUT') === true) {
    return Object.assign(new Error(cause instanceof Error ? cause.message : 'timeout'), { code: 'ETIMEDOUT' });
  }
  return cause;
}

export function invalidHeaderError(error: unknown): Error {
  const message = errorMessage(error);
  return Object.assign(new Error(message), { code: 'ERR_INVALID_CHAR' });
}

/** One that `fetch` followed although it must not, or one whose target it hides, as browsers do. */
export function redirectError(provider: string, { redirected, status, url }: Response): KernelError {
  const what = redirected
    ? `fetch followed a redirect to ${new URL(url).origin}`
    : 'the server answered with a redirect';
  return new KernelError('PROVIDER_HTTP', `${provider}: ${what}.`, {
    hint: redirected
      ? "Use a fetch that honours redirect: 'manual': the credential was sent to another address."
      : 'Redirects are not followed. If you trust the target, set baseUrl to it.',
    data: redirected ? { status } : {},
  });
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
