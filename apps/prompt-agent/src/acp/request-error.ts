import { errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { RequestError } from '@agentclientprotocol/sdk/unstable';

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** An error as the protocol has it: its message with the hint, and its code. A vendor that refuses the key is `auth_required`. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (!KernelError.is(error)) return new RequestError(INTERNAL_ERROR, oneLine(errorMessage(error)));
  const message = [error.message, error.hint ?? ''].map(oneLine).filter(Boolean).reduce(joinSentences);
  if (isRefusedKey(error)) return RequestError.authRequired({ code: error.code }, message);
  return new RequestError(error.code === 'CONFIG_INVALID' ? INVALID_PARAMS : INTERNAL_ERROR, message, {
    code: error.code,
  });
}

function oneLine(text: string): string {
  return text.trim().replaceAll('\n', ' ');
}

/** Joins what happened and what to do about it. The first may be words of a system, without a stop. */
function joinSentences(what: string, then: string): string {
  return `${what}${/[.!?:…]["')\]]?$/.test(what) ? '' : '.'} ${then}`;
}

/** Whether a vendor refused the key. */
export function isRefusedKey({ code, data }: KernelError): boolean {
  return code === 'PROVIDER_HTTP' && (data?.['status'] === 401 || data?.['status'] === 403);
}
