import { KernelError } from '@kernel/protocol';
import { RequestError } from '@agentclientprotocol/sdk/unstable';
import { errorNote } from '../exit-code.ts';

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** An error as the protocol has it: its message with the hint, and its code. A vendor that refuses the key is `auth_required`. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const message = errorNote(error)
    .replace(/^prompt-agent: /, '')
    .replaceAll('\n', ' ');
  if (!KernelError.is(error)) return new RequestError(INTERNAL_ERROR, message);
  if (isRefusedKey(error)) return RequestError.authRequired({ code: error.code }, message);
  return new RequestError(error.code === 'CONFIG_INVALID' ? INVALID_PARAMS : INTERNAL_ERROR, message, {
    code: error.code,
  });
}

/** Whether a vendor refused the key. */
export function isRefusedKey({ code, data }: KernelError): boolean {
  return code === 'PROVIDER_HTTP' && (data?.['status'] === 401 || data?.['status'] === 403);
}
