import { timingSafeEqual } from 'node:crypto';
import { createMemorySession, runSession, type Session } from '@kernel/agent';
import { type ClientField, decisionsFrom, toResponse } from '@kernel/agent/web';
import { KernelError } from '@kernel/protocol';
import type { OpenAgent } from '../agent/open-agent.ts';
import { redactEvents } from '../render/redact-events.ts';
import { readBody } from '../read-body.ts';
import { PAGE } from './page.ts';
import { redactResponse } from './redact-response.ts';

/** What the routes are made of. */
export interface RouteOptions {
  /** The agent. */
  readonly options: OpenAgent['options'];
  /** The credential of the provider, which no event shows. */
  readonly secret: string | undefined;
  /** What each request must bring. */
  readonly token: string;
  /** The values of `Host` that are this server: another name is a web site that points to this machine. */
  readonly hosts: readonly string[];
}

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_CHATS = 100;
const SHOWN: readonly ClientField[] = ['arguments', 'results', 'progress', 'reasoning', 'usage', 'citations', 'errors'];
/** The page loads nothing from anywhere else, and no other site can embed it. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/**
 * Creates the routes: `GET /` is the page; `POST /chats/ID` sends a message and answers with the events of the run, `POST /chats/ID/decisions` decides on
 * what waits. A chat lives in memory; beyond 100 the oldest is dropped.
 */
export function createRoutes({ options, secret, token, hosts }: RouteOptions): (request: Request) => Promise<Response> {
  const chats = new Map<string, Session>();
  const chatOf = (id: string): Session => {
    const session = chats.get(id) ?? createMemorySession();
    chats.delete(id);
    chats.set(id, session);
    const [oldest = ''] = chats.keys();
    if (chats.size > MAX_CHATS) chats.delete(oldest);
    return session;
  };

  const runIn = async (id: string, isDecision: boolean, request: Request): Promise<Response> => {
    const body = await readBody(request, MAX_BODY_BYTES);
    if (!isDecision && body.trim() === '') return plain(400, 'The message is empty.');
    const session = chatOf(id);
    const approve = isDecision ? decisionsFrom(JSON.parse(body), options.approve) : options.approve;
    const messages = isDecision ? undefined : [{ role: 'user', content: body } as const];
    const events = runSession({ ...options, session, ...(messages && { messages }), approve, stream: true });
    return redactResponse(toResponse(redactEvents(events, secret), { show: SHOWN }), secret);
  };

  return async (request) => {
    const { pathname, host } = new URL(request.url);
    if (!hosts.includes(request.headers.get('host') ?? host)) return plain(403, 'This host is not served.');
    if (request.method === 'GET' && pathname === '/')
      return new Response(PAGE, {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': POLICY,
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        },
      });
    const [, id, decisions] = /^\/chats\/([\w-]{1,64})(\/decisions)?$/.exec(pathname) ?? [];
    if (id === undefined || request.method !== 'POST') return plain(404, 'There is nothing here.');
    if (!isEqual(request.headers.get('authorization') ?? '', `Bearer ${token}`))
      return plain(401, 'Open the address that the program printed.');
    try {
      return await runIn(id, decisions !== undefined, request);
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof RangeError || KernelError.is(error))
        return plain(400, error.message);
      throw error;
    }
  };
}

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function plain(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
