import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { Readable } from 'node:stream';
import {
  agent,
  type AgentContext,
  type ClientCapabilities,
  type InitializeResponse,
  type McpServer,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk/unstable';
import { attempt, createLock, onAbort } from '@kernel/internal';
import type { CommandCall } from '../command-call.ts';
import { version } from '../options/help.ts';
import { toEditorServers } from './editor/editor-servers.ts';
import { dropLongMessages, MAX_MESSAGE_BYTES } from './long-messages.ts';
import { folderOf } from '../sessions/find-session.ts';
import { findStored, listStored, removeStored } from './stored-sessions.ts';
import { type AcpSession, openAcpSession, type SessionStart } from './session.ts';
import { authMethodsFor, forgetKeys, requireModel } from './setup/sign-in.ts';
import { toRequestError } from './request-error.ts';

/** The most sessions that one process has open. */
const MAX_SESSIONS = 100;

interface ContinueParams {
  readonly sessionId: string;
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[] | undefined;
}

/**
 * Serves the agent to an editor over stdin and stdout by the Agent Client Protocol, version 1. Sessions are those of the program: what an editor begins can be continued
 * with `prompt-agent --session`, and the other way round. Resolves when the editor closes its end, or on an abort.
 */
export async function serveAcp(call: CommandCall): Promise<void> {
  const { host, output, signal } = call;
  const sessions = new Map<string, AcpSession>();
  /** Sessions are opened and closed one after the other: two requests for the same one cannot open it twice. */
  const lock = createLock();
  const locked = <Value>(work: () => Promise<Value>): Promise<Value> => answer(() => lock(work));
  let capabilities: ClientCapabilities = {};

  const sessionOf = (id: string): AcpSession => {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  };
  const openOne = async (client: AgentContext, start: SessionStart): Promise<AcpSession> => {
    if (sessions.size >= MAX_SESSIONS)
      throw RequestError.invalidRequest(undefined, `${MAX_SESSIONS} sessions are open; close one`);
    const session = await openAcpSession(call, client, capabilities, start);
    sessions.set(start.id, session);
    // What is told of a session comes after the answer that names it.
    setImmediate(() => session.announce());
    return session;
  };
  const close = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.close();
  };

  const expireModels = (): void => sessions.forEach((session) => session.expireModel());

  const create = async (
    client: AgentContext,
    { cwd, mcpServers }: Omit<ContinueParams, 'sessionId'>,
    from?: string,
  ) => {
    const folder = folderFrom(cwd);
    const servers = toEditorServers(mcpServers);
    const open = from === undefined ? undefined : sessions.get(from);
    const stored = from === undefined || open !== undefined ? undefined : findStored(call, from);
    const entries = (await open?.entries()) ?? stored?.entries();
    if (from !== undefined && entries === undefined) throw RequestError.sessionNotFound(from);
    const id = randomUUID().replaceAll('-', '');
    const session = await openOne(client, {
      id,
      cwd: folder,
      servers,
      isStored: false,
      entries,
      settings: open?.settings() ?? stored?.settings,
    });
    return { sessionId: id, ...stateOf(session) };
  };
  /** Continues a session. One that is open here goes on as it is, unless it gets other servers: then it is opened again, with what it has. */
  const continueSession = async (
    client: AgentContext,
    { sessionId: id, cwd, mcpServers }: ContinueParams,
    replays: boolean,
  ) => {
    const folder = folderFrom(cwd);
    const servers = toEditorServers(mcpServers);
    const there = sessions.get(id);
    const stored = findStored(call, id);
    if (there === undefined && stored === undefined) throw RequestError.sessionNotFound(id);
    if (there === undefined ? stored?.isIn(folder) === false : folderOf(there.cwd) !== folderOf(folder))
      throw RequestError.invalidParams(undefined, `the session does not belong to the folder ${JSON.stringify(cwd)}`);
    there?.checkIdle();
    const entries = await there?.entries();
    const isReused = there !== undefined && JSON.stringify(there.servers) === JSON.stringify(servers);
    if (!isReused) await close(id);
    const isStored = stored !== undefined;
    const settings = there?.settings() ?? stored?.settings;
    const start = {
      id,
      cwd: folder,
      servers,
      isStored,
      settings,
      ...(!isStored && entries?.length !== 0 && { entries }),
    };
    const session = isReused ? there : await openOne(client, start);
    if (replays) await session.replay();
    return stateOf(session);
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
    .onRequest('authenticate', ({ params }) =>
      answer(async () => {
        if (!authMethodsFor(capabilities).some(({ id }) => id === params.methodId))
          throw RequestError.invalidParams(undefined, `unknown way to sign in: ${JSON.stringify(params.methodId)}`);
        expireModels();
        await requireModel(call);
        return {};
      }),
    )
    .onRequest('logout', () =>
      answer(async () => {
        await forgetKeys(call);
        expireModels();
        return {};
      }),
    )
    .onRequest('session/new', ({ params, client }) => locked(() => create(client, params)))
    .onRequest('session/fork', ({ params, client }) => locked(() => create(client, params, params.sessionId)))
    .onRequest('session/load', ({ params, client }) => locked(() => continueSession(client, params, true)))
    .onRequest('session/resume', ({ params, client }) => locked(() => continueSession(client, params, false)))
    .onRequest('session/list', ({ params }) => answer(() => listStored(call, params.cwd, params.cursor)))
    .onRequest('session/close', ({ params: { sessionId } }) =>
      locked(async () => {
        await close(sessionOf(sessionId).id);
        return {};
      }),
    )
    .onRequest('session/delete', ({ params: { sessionId } }) =>
      locked(async () => {
        const wasOpen = sessions.has(sessionId);
        await close(sessionId);
        // One that had no prompt yet was open and nothing else.
        if (!removeStored(call, sessionId) && !wasOpen) throw RequestError.sessionNotFound(sessionId);
        return {};
      }),
    )
    .onRequest('session/set_mode', ({ params }) =>
      answer(() => {
        sessionOf(params.sessionId).set('mode', params.modeId);
        return {};
      }),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      answer(() => ({ configOptions: sessionOf(params.sessionId).set(params.configId, params.value) })),
    )
    .onRequest('session/prompt', ({ params, signal: request }) =>
      answer(() => sessionOf(params.sessionId).prompt(params.prompt, request)),
    )
    .onNotification('session/cancel', ({ params }) => sessions.get(params.sessionId)?.cancel());

  const input = host.stdin instanceof Readable ? host.stdin : Readable.from(host.stdin);
  // A request is answered, and an answer to one of ours is an error: neither side waits for the other.
  const messages = dropLongMessages(({ id, isAnswer }) => {
    const message = `the message has more than ${MAX_MESSAGE_BYTES} bytes`;
    output.note(`acp: ${message}, and was dropped`);
    const line =
      id === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_600, message } });
    if (isAnswer) return line;
    if (line !== undefined) host.stdout.write(`${line}\n`);
    return undefined;
  });
  const stream = ndJsonStream(toWritable(host.stdout), Readable.toWeb(input).pipeThrough(messages), {
    // One more than what comes here at most.
    maxMessageBytes: MAX_MESSAGE_BYTES + 1,
  });
  const connection = app.connect(stream);
  const removeListener = onAbort(signal, () => connection.close());
  await connection.closed;
  removeListener();
  // What the editor may still send keeps nobody waiting.
  input.destroy();
  await Promise.all([...sessions.keys()].map(close));
}

/** Runs what answers a request. What it rejects with is an error of the protocol. */
async function answer<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw toRequestError(error);
  }
}

function stateOf(session: AcpSession) {
  return { modes: session.modes(), configOptions: session.options() };
}

function folderFrom(cwd: string): string {
  if (!isAbsolute(cwd))
    throw RequestError.invalidParams(undefined, `"cwd" must be an absolute path, not ${JSON.stringify(cwd)}`);
  if (attempt(() => statSync(cwd).isDirectory()) === true) return cwd;
  throw RequestError.invalidParams(undefined, `"cwd" is not a folder: ${JSON.stringify(cwd)}`);
}

function toWritable(stream: NodeJS.WritableStream): WritableStream<Uint8Array> {
  return new WritableStream({
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error) => (error == null ? resolve() : reject(error)));
      }),
  });
}
