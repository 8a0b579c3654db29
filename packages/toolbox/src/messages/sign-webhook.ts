import { createHash, createHmac } from 'node:crypto';
import { KernelError } from '@kernel/protocol';

const PREFIX = 'whsec_';
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

/**
 * Reads a secret as Standard Webhooks writes it: `whsec_` and 24 to 64 bytes in base64. Throws `CONFIG_INVALID` for any other: receivers would compute another signature. The secret
 * is not in the error.
 */
export function readSecret(secret: string): Uint8Array {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(text, 'base64');
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (isBase64 && key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES) return key;
  throw new KernelError(
    'CONFIG_INVALID',
    `webhookChannel needs a secret of the form "${PREFIX}" and ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes in base64.`,
    { hint: `Make one: "${PREFIX}$(openssl rand -base64 32)".` },
  );
}

/** The headers of Standard Webhooks: what identifies a message, when it is sent, and with a key the signature. */
export function webhookHeaders(
  id: string,
  payload: string,
  key: Uint8Array | undefined,
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (key === undefined) return headers;
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${digest}` };
}

/** An id that a header can hold: as it is, or its hash. */
export function headerId(id: string): string {
  return /^[!-~]{1,200}$/.test(id) ? id : `sha256-${createHash('sha256').update(id).digest('base64url')}`;
}
