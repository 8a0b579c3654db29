import { Readable } from 'node:stream';
import { isAbsolute } from 'node:path';
import { createLock } from '@kernel/internal';
import {
  agent,
  type AgentContext,
  type AuthMethod,
  type ClientCapabilities,
  type InitializeResponse,
  type McpServer,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk/unstable';
import type { CommandCall } from '../command-call.ts';
import { stateFolder } from '../config/folders.ts';
import { openStoredKeys } from '../credentials/stored-keys.ts';
import { loadConfig } from '../config/load-config.ts';
import { chooseModel } from '../model/choose-model.ts';
import { version } from '../options/help.ts';
import { removeSessions } from '../sessions/find-session.ts';
import { openStore } from '../sessions/session-store.ts';
import type { ServerEntry } from '../mcp-servers/server-files.ts';
import type { ClientServers } from '../user-tools/client-servers.ts';
import { findKept, listKept } from './kept-sessions.ts';
import { type AcpSession, openSession, type SessionStart } from './session.ts';
import { toRequestError } from './view/show-turn.ts';

/** The most sessions that one process has open. */
const MAX_SESSIONS = 100;

/** How the user signs in: in a terminal that the editor opens, where it can, or by what is set elsewhere. */
const LOGIN_ARGUMENTS = ['--login'];

/**
 * Serves the agent to an editor over stdin and stdout by the Agent Client Protocol, version 1. Sessions are those of the program: what an editor begins can be continued
 * with `prompt-agent --session`, and the other way round. Resolves when the editor closes its end, or on an abort.
 */
export async function serveAcp(call: CommandCall): Promise<void> {
  const { host, signal } = call;
  const sessions = new Map<string, AcpSession>();
  /** Sessions are opened and closed one after the other: two requests for the same one cannot open it twice. */
  const lock = createLock();
  let capabilities: ClientCapabilities = {};

  const required = (id: string): AcpSession => {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  };
  const open = (client: AgentContext, start: SessionStart, replays = false) =>
    lock(async () => {
      if (sessions.has(start.id)) {
        await sessions.get(start.id)?.close();
        sessions.delete(start.id);
      }
      if (sessions.size >= MAX_SESSIONS)
        throw RequestError.invalidRequest(undefined, `${MAX_SESSIONS} sessions are open; close one`);
      const session = await openSession(call, client, capabilities, start).catch((error: unknown) => {
        throw toRequestError(error);
      });
      sessions.set(start.id, session);
      if (replays) await session.replay();
      // What is told of a session comes after the answer that names it.
      setImmediate(() => session.announce());
      return { modes: session.modes(), configOptions: session.options() };
    });
  const continued = async (
    client: AgentContext,
    params: {
      readonly sessionId: string;
      readonly cwd: string;
      readonly mcpServers?: readonly McpServer[] | undefined;
    },
    replays: boolean,
  ) => {
    const cwd = folderFrom(params.cwd);
    const { sessionId: id } = params;
    const isKept = findKept(call, id, cwd) !== undefined;
    if (!isKept && !sessions.has(id)) throw RequestError.sessionNotFound(id);
    return open(client, { id, cwd, servers: serversOf(params.mcpServers), isKept }, replays);
  };

  const app = agent({ name: 'prompt-agent' })
    .onRequest('initialize', ({ params }): InitializeResponse => {
      capabilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'prompt-agent', title: 'prompt-agent', version: version() },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: true, embeddedContext: true },
          mcpCapabilities: { http: true, sse: false },
          sessionCapabilities: { list: {}, resume: {}, fork: {}, close: {}, delete: {} },
          auth: { logout: {} },
        },
        authMethods: authMethodsFor(capabilities),
      };
    })
    .onRequest('authenticate', async ({ params }) => {
      if (!authMethodsFor(capabilities).some(({ id }) => id === params.methodId))
        throw RequestError.invalidParams(
          undefined,
          `there is no way to sign in named ${JSON.stringify(params.methodId)}`,
        );
      if (await hasModel(call)) return {};
      throw RequestError.authRequired(undefined, HOW_TO_SIGN_IN);
    })
    .onRequest('logout', async () => {
      const keys = await openStoredKeys(host, call.output, signal);
      // oxlint-disable-next-line no-await-in-loop -- the file of keys is changed by one at a time
      for (const { provider } of keys.list) await keys.remove(provider);
      return {};
    })
    .onRequest('session/new', async ({ params, client }) => {
      const id = crypto.randomUUID().replaceAll('-', '');
      const start = { id, cwd: folderFrom(params.cwd), servers: serversOf(params.mcpServers), isKept: false };
      return { sessionId: id, ...(await open(client, start)) };
    })
    .onRequest('session/load', ({ params, client }) => continued(client, params, true))
    .onRequest('session/resume', ({ params, client }) => continued(client, params, false))
    .onRequest('session/fork', async ({ params, client }) => {
      const cwd = folderFrom(params.cwd);
      const entries =
        (await sessions.get(params.sessionId)?.entries()) ?? findKept(call, params.sessionId, cwd)?.entries;
      if (entries === undefined) throw RequestError.sessionNotFound(params.sessionId);
      const id = crypto.randomUUID().replaceAll('-', '');
      const start = { id, cwd, servers: serversOf(params.mcpServers), isKept: false, entries };
      return { sessionId: id, ...(await open(client, start)) };
    })
    .onRequest('session/list', ({ params }) => listKept(call, params.cwd ?? undefined, params.cursor ?? undefined))
    .onRequest('session/close', ({ params }) =>
      lock(async () => {
        const session = required(params.sessionId);
        sessions.delete(session.id);
        await session.close();
        return {};
      }),
    )
    .onRequest('session/delete', ({ params }) =>
      lock(async () => {
        await sessions.get(params.sessionId)?.close();
        sessions.delete(params.sessionId);
        const store = openStore(stateFolder(host));
        try {
          const kept = findKept(call, params.sessionId, undefined);
          if (kept === undefined) throw RequestError.sessionNotFound(params.sessionId);
          store.use((database) => removeSessions(database, [kept.record]));
        } finally {
          store.close();
        }
        return {};
      }),
    )
    .onRequest('session/set_mode', ({ params }) => {
      required(params.sessionId).set('mode', params.modeId);
      return {};
    })
    .onRequest('session/set_config_option', ({ params }) => {
      return { configOptions: required(params.sessionId).set(params.configId, params.value) };
    })
    .onRequest('session/prompt', async ({ params, signal: request }) =>
      required(params.sessionId)
        .prompt(params.prompt, request)
        .catch((error: unknown) => {
          throw toRequestError(error);
        }),
    )
    .onNotification('session/cancel', ({ params }) => sessions.get(params.sessionId)?.cancel());

  const connection = app.connect(ndJsonStream(toWritable(host.stdout), Readable.toWeb(Readable.from(host.stdin))));
  const stop = (): void => connection.close();
  signal.addEventListener('abort', stop, { once: true });
  await connection.closed;
  signal.removeEventListener('abort', stop);
  await Promise.all([...sessions.values()].map((session) => session.close()));
}

const HOW_TO_SIGN_IN =
  'no model was found. Set a key such as OPENAI_API_KEY or ANTHROPIC_API_KEY, keep one with prompt-agent keys set PROVIDER, or start Ollama';

function authMethodsFor({ auth }: ClientCapabilities): AuthMethod[] {
  const login: AuthMethod = {
    type: 'terminal',
    id: 'login',
    name: 'Enter the key of a provider',
    description: 'Asks in a terminal for a provider and its key, and keeps it in the keyring of the system',
    args: LOGIN_ARGUMENTS,
  };
  const elsewhere: AuthMethod = {
    id: 'elsewhere',
    name: 'Use a key or a model server that is there',
    description:
      'Looks again for a key in the environment, one of prompt-agent keys, or a model server on this machine',
  };
  return auth?.terminal === true ? [login, elsewhere] : [elsewhere];
}

async function hasModel(call: CommandCall): Promise<boolean> {
  const choice = await chooseModel(call, await loadConfig(call));
  return choice.provider.name !== 'offline' || call.flags.provider === 'offline';
}

function folderFrom(cwd: string): string {
  if (isAbsolute(cwd)) return cwd;
  throw RequestError.invalidParams(undefined, `"cwd" must be an absolute path, not ${JSON.stringify(cwd)}`);
}

function toWritable(stream: NodeJS.WritableStream): WritableStream<Uint8Array> {
  return new WritableStream({
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error) => (error == null ? resolve() : reject(error)));
      }),
  });
}

/** The MCP servers that an editor gives, as entries of `mcpServers`. */
function serversOf(given: readonly McpServer[] = []): ClientServers {
  return Object.fromEntries(
    given.map((server): [string, ServerEntry] => {
      if ('command' in server) {
        const { command, args, env } = server;
        return [server.name, { command, args, env: namedValues(env) }];
      }
      if (server.type === 'http') return [server.name, { url: server.url, headers: namedValues(server.headers) }];
      throw RequestError.invalidParams(
        undefined,
        `MCP servers of the type ${JSON.stringify(server.type)} cannot be used`,
      );
    }),
  );
}

function namedValues(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
