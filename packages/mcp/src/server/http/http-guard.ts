import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sha256 } from '@kernel/internal';
import type * as NodeSdk from '@modelcontextprotocol/node';
import { jsonRpcError } from '../../json-rpc.ts';
import type { HttpSettings } from './http-options.ts';

/** Returns whether a request may be served; if not, it has been answered. */
export type HttpGuard = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Creates the guard that runs before everything else, even before a body is read: Host and Origin (403), so that no web page can reach the
 * server through a host name of its own (DNS rebinding), then path (404) and token (401).
 */
export function httpGuard(
  { path, token, allowedHosts, allowedOrigins }: HttpSettings,
  sdk: Pick<typeof NodeSdk, 'hostHeaderValidation' | 'originValidation'>,
): HttpGuard {
  const isHostAllowed = sdk.hostHeaderValidation([...allowedHosts]);
  const isOriginAllowed = sdk.originValidation([...allowedOrigins]);
  const isTokenValid = token === undefined ? () => true : createTokenCheck(token);
  return (request, response) => {
    if (!isHostAllowed(request, response) || !isOriginAllowed(request, response)) return false;
    if (request.url?.split('?', 1)[0] !== path) return refuse(response, 404, `Not found: this server is at ${path}`);
    const { authorization } = request.headers;
    if (isTokenValid(authorization)) return true;
    const challengeError = authorization === undefined ? '' : ', error="invalid_token"';
    return refuse(response, 401, 'Unauthorized: a bearer token is required', `Bearer realm="mcp"${challengeError}`);
  };
}

/** Compares digests, so that the time it takes reveals nothing about the token. */
function createTokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = sha256(token);
  return (authorization) => {
    const received = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(sha256(received), expected);
  };
}

function refuse(response: ServerResponse, status: number, message: string, challenge?: string): false {
  response.writeHead(status, {
    'content-type': 'application/json',
    connection: 'close', // does not wait for the body, which was not read
    ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
  });
  response.end(jsonRpcError(-32_000, message));
  return false;
}
