import { checkNumber, KernelError } from '@kernel/protocol';
import type { MessageChannel } from './message-tool.ts';
import { createHash, createHmac } from 'node:crypto';

/** Options of `webhookChannel`. */
export interface WebhookOptions {
  /** The address. */
  readonly url: string;
  /** Its name, by which a model selects it. Default `webhook`. */
  readonly name?: string | undefined;
  /**
   * A secret shared with the receiver: `whsec_` and 24 to 64 bytes in base64. Each request then has `webhook-signature`, by which the receiver can
   * verify its origin.
   */
  readonly secret?: string | undefined;
  /** Returns the body of the request, which is sent as JSON. Default `{ id, text }`; chat services expect other fields. */
  readonly body?:
    | ((message: {
        /** The same for every attempt at the same call: the header `webhook-id`. */
        readonly id: string;
        /** What the message says; Markdown. */
        readonly text: string;
      }) => unknown)
    | undefined;
  /** Time limit, in milliseconds. Default 15,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Posts messages as JSON with the headers of Standard Webhooks: `webhook-id`, `webhook-timestamp` and, with a secret, `webhook-signature`. Redirects are not followed, and anything
 * but a 2xx answer fails; its body is not read. Neither the address nor the secret is in the error, since addresses of webhooks are secrets themselves.
 */
export function webhookChannel(options: WebhookOptions): MessageChannel {
  checkNumber('webhookChannel', 'timeoutMs', options.timeoutMs, 1);
  const { name = 'webhook', secret, timeoutMs = 15_000, body = (message) => message } = options;
  if (!URL.canParse(options.url) || !/^https?:$/.test(new URL(options.url).protocol))
    throw new KernelError('CONFIG_INVALID', 'webhookChannel needs an http or https address.');
  const url = new URL(options.url);
  if (url.username !== '' || url.password !== '')
    throw new KernelError('CONFIG_INVALID', 'webhookChannel takes no name and password in its address.', {
      hint: 'Sign with "secret", or put a token into the path.',
    });
  const key = secret === undefined ? undefined : readSecret(secret);
  return {
    name,
    async send(message, signal) {
      const id = headerId(message.id);
      const payload = JSON.stringify(body({ id, text: message.text })) ?? 'null';
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const headers = { 'content-type': 'application/json', ...webhookHeaders(id, payload, key, Date.now()) };
      try {
        const response = await fetch(url, { method: 'POST', headers, body: payload, signal: limit, redirect: 'error' });
        await response.body?.cancel();
        if (response.ok) return;
        throw new KernelError('TOOL_FAILED', `The message was not delivered: "${name}" answered ${response.status}.`);
      } catch (error) {
        signal.throwIfAborted();
        if (KernelError.is(error)) throw error;
        const reason = limit.aborted ? `it took longer than ${timeoutMs} ms` : 'it cannot be reached';
        throw new KernelError('TOOL_FAILED', `The message was not delivered to "${name}": ${reason}.`);
      }
    },
  };
}

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
function headerId(id: string): string {
  return /^[!-~]{1,200}$/.test(id) ? id : `sha256-${createHash('sha256').update(id).digest('base64url')}`;
}
