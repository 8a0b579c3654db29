import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as NodeSdk from '@modelcontextprotocol/node';
import type { HttpSettings } from './http-options.ts';
import { jsonRpcError } from './http-error.ts';

/** Whether a request may be served; when not, it has been answered. */
export type HttpGuard = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Makes the guard before everything else, also before a body is read: Host and Origin (403), so that no web page reaches the server
 * under a name of its own (DNS rebinding), then path (404) and token (401).
 */
export function httpGuard(
  { path, token, allowedHosts, allowedOrigins }: HttpSettings,
  sdk: Pick<typeof NodeSdk, 'hostHeaderValidation' | 'originValidation'>,
): HttpGuard {
  const isHostFine = sdk.hostHeaderValidation([...allowedHosts]);
  const isOriginFine = sdk.originValidation([...allowedOrigins]);
  const isTokenFine = token === undefined ? () => true : tokenCheck(token);
  return (request, response) => {
    if (!isHostFine(request, response) || !isOriginFine(request, response)) return false;
    if (request.url?.split('?', 1)[0] !== path)
      return refuse(response, 404, `Not found: this server answers at ${path}`);
    const { authorization } = request.headers;
    if (isTokenFine(authorization)) return true;
    const fault = authorization === undefined ? '' : ', error="invalid_token"';
    return refuse(response, 401, 'Unauthorized: a bearer token is needed', `Bearer realm="mcp"${fault}`);
  };
}

/** Compares digests, so that the time taken tells nothing of the token. */
function tokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = sha256(token);
  return (authorization) => {
    const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(sha256(given), expected);
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refuse(response: ServerResponse, status: number, message: string, challenge?: string): false {
  response.writeHead(status, {
    'content-type': 'application/json',
    connection: 'close', // the body, which nobody has read, is not waited for
    ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
  });
  response.end(jsonRpcError(-32_000, message));
  return false;
}
