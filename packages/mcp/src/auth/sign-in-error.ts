import { errorMessage, type Redactor, terminalText, truncate } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { redactedError } from '../client/server-redactor.ts';

const MAX_LENGTH = 600;
const HINT = 'Check the address of the server and the grant; to begin again without what is stored, call signOut.';

/** The error of a sign-in, with no secret in it. */
export function toSignInError(error: unknown, server: URL, redactor: Redactor): KernelError {
  const redact = (text: string): string => terminalText(redactor.text(text));
  const known = KernelError.is(error) ? error : undefined;
  const { code = 'TOOL_UNAVAILABLE', hint = HINT } = known ?? {};
  const why = truncate(redact(errorMessage(error)).trim().replaceAll(/\s+/g, ' '), MAX_LENGTH);
  return new KernelError(code, `Signing in at ${server.origin}${server.pathname} failed: ${why}`, {
    hint: redact(hint),
    retryable: known?.retryable ?? error instanceof TypeError,
    cause: redactedError(error, redact),
  });
}
