/** A page and the routes that it needs: it shows a run as it goes on, and asks before a mail is sent. */
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { createMemorySession, runSession, type Session } from '@kernel/agent';
import { type ClientField, decisionsFrom, toResponse } from '@kernel/agent/web';
import type { Provider } from '@kernel/protocol';
import { Hono } from 'hono';
import { tools } from './weather.ts';

const page = readFileSync(new URL('chat.html', import.meta.url), 'utf8');
const show: readonly ClientField[] = ['arguments', 'results'];

/** A server that runs. */
export interface ChatServer {
  /** The address of the page. */
  readonly url: string;
  /** Stops it. */
  close(): void;
}

/** Serves the page on a free port of this machine. */
export async function startChatServer(provider: Provider): Promise<ChatServer> {
  const sessions = new Map<string, Session>();
  const sessionOf = (id: string): Session => {
    const session = sessions.get(id) ?? createMemorySession();
    sessions.set(id, session);
    return session;
  };
  const options = { provider, model: 'any-model', tools };
  const app = new Hono()
    .get('/', (context) => context.html(page))
    .post('/chats/:id', async (context) => {
      const messages = [{ role: 'user', content: await context.req.text() }] as const;
      const session = sessionOf(context.req.param('id'));
      const approve = decisionsFrom([]); // every question stays open until the client has decided
      return toResponse(runSession({ ...options, session, messages, approve }), { show });
    })
    .post('/chats/:id/decisions', async (context) => {
      const session = sessionOf(context.req.param('id'));
      return toResponse(runSession({ ...options, session, approve: decisionsFrom(await context.req.json()) }), {
        show,
      });
    });
  const { promise: port, resolve: onPort } = Promise.withResolvers<number>();
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (info) => onPort(info.port));
  return {
    url: `http://127.0.0.1:${await port}/`,
    close: () => {
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
    },
  };
}
