import { PassThrough, Readable, Writable } from 'node:stream';
import {
  type AnyMessage,
  client,
  type ClientApp,
  type ClientCapabilities,
  type ClientContext,
  type ContentBlock,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type Stream,
} from '@agentclientprotocol/sdk/unstable';
import { startWireServer, type WireServer, type WireServerOptions } from '@kernel/testing';
import { expect } from 'vitest';
import { createMessageCheck } from '../../../../test/acp/lib/check-messages.ts';
import { main } from '../../src/main.ts';
import { workspace } from '../program.ts';

/** How an editor is, and what it starts. */
export interface EditorOptions {
  /** More arguments of the program. */
  readonly args?: readonly string[];
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly replies: WireServerOptions['replies'];
  readonly env?: Readonly<Record<string, string>>;
  readonly capabilities?: ClientCapabilities;
  /** Answers a question. Default: the first option. */
  readonly answer?: (
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ) => RequestPermissionResponse | Promise<RequestPermissionResponse>;
  /** Adds what else the editor can do. */
  readonly extend?: (app: ClientApp) => ClientApp;
  /** The folder in place of a new one. */
  readonly folder?: string;
  /** Checks of each message against the schema that are expected to fail, in a test of hostile ones. */
  readonly isHostile?: boolean;
}

/** An editor that is connected to the program, which runs in this process. */
export interface TestEditor {
  readonly agent: ClientContext;
  readonly cwd: string;
  readonly server: WireServer;
  /** What was asked of the model so far, as JSON texts. */
  asked(): readonly string[];
  readonly updates: SessionUpdate[];
  readonly questions: RequestPermissionRequest[];
  /** The sessions of `updates`, in the same order. */
  readonly sessionsOfUpdates: string[];
  /** Begins a session in the folder. */
  begin(): Promise<string>;
  prompt(sessionId: string, ...content: readonly (string | ContentBlock)[]): Promise<PromptResponse>;
  /** The text of the agent's messages so far. */
  said(): string;
  /** What was written to stderr so far. */
  stderr(): string;
  /** Writes a line to the program as it is. */
  raw(line: string): void;
  /** Closes the editor's end, and resolves to the exit code of the program. */
  quit(): Promise<number>;
}

/** Starts the program for an editor, and works with it. Each message is checked against the schema of the protocol, both ways. */
export async function withEditor<Value>(
  { args = [], files, replies, env = {}, capabilities = {}, answer, extend, folder, isHostile = false }: EditorOptions,
  work: (editor: TestEditor) => Promise<Value>,
): Promise<Value> {
  const left = typeof replies === 'function' ? [] : [...(replies ?? [])];
  const bodies: unknown[] = [];
  const server = await startWireServer({
    replies(request, at) {
      // The list of models, which is asked for in the background.
      if (request.method === 'GET') return { text: '' };
      bodies.push(request.body);
      const reply = typeof replies === 'function' ? replies(request, at) : left.shift();
      if (reply === undefined) throw new Error('There is no reply left.');
      return reply;
    },
  });
  const cwd = folder ?? workspace(files);
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let noted = '';
  stderr.setEncoding('utf8').on('data', (text: string) => (noted += text));
  const exit = main({
    argv: ['acp', '--base-url', server.baseUrl, '--model', 'm-1', ...args],
    env: { PATH: process.env['PATH'], TZ: 'UTC', PROMPT_AGENT_SERVERS: '', ...env },
    cwd,
    home: cwd,
    stdin,
    stdout,
    stderr,
    signal: new AbortController().signal,
  });
  const problems: string[] = [];
  const updates: SessionUpdate[] = [];
  const sessionsOfUpdates: string[] = [];
  const questions: RequestPermissionRequest[] = [];
  const base = client({ name: 'test' })
    .onNotification('session/update', ({ params }) => {
      updates.push(params.update);
      sessionsOfUpdates.push(params.sessionId);
    })
    .onRequest('session/request_permission', ({ params, signal }) => {
      questions.push(params);
      return answer?.(params, signal) ?? choose(params, 'once');
    });
  const stream = checked(ndJsonStream(toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>), problems);
  const connection = (extend?.(base) ?? base).connect(stream);
  const { agent } = connection;
  try {
    const early = exit.then((code) => {
      throw new Error(`The program ended with ${code}: ${noted}`);
    });
    early.catch(() => undefined);
    const begun = agent.request('initialize', { protocolVersion: 1, clientCapabilities: capabilities });
    await Promise.race([begun, early]);
    const value = await work({
      agent,
      cwd,
      server,
      asked: () => bodies.map((body) => JSON.stringify(body)),
      updates,
      questions,
      sessionsOfUpdates,
      begin: async () => (await agent.request('session/new', { cwd, mcpServers: [] })).sessionId,
      prompt: (sessionId, ...content) =>
        agent.request('session/prompt', {
          sessionId,
          prompt: content.map((each) => (typeof each === 'string' ? { type: 'text', text: each } : each)),
        }),
      said: () =>
        updates
          .map((update) =>
            update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '',
          )
          .join(''),
      stderr: () => noted,
      raw: (line) => void stdin.write(`${line}\n`),
      quit() {
        stdin.end();
        return exit;
      },
    });
    if (!isHostile) expect(problems).toEqual([]);
    return value;
  } finally {
    stdin.end();
    await exit;
    await server.close();
  }
}

/** The answer that chooses the option whose name in its id is this one. */
export function choose({ options }: RequestPermissionRequest, name: string): RequestPermissionResponse {
  const option = options.find(({ optionId }) => optionId.startsWith(`${name}:`));
  if (option === undefined) throw new Error(`There is no option ${name} among ${JSON.stringify(options)}.`);
  return { outcome: { outcome: 'selected', optionId: option.optionId } };
}

/** The updates about calls, merged by their ids: each as it was at last. */
export function callsIn(updates: readonly SessionUpdate[]): readonly Readonly<Record<string, unknown>>[] {
  const calls = new Map<string, Record<string, unknown>>();
  for (const update of updates)
    if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') {
      const { sessionUpdate: _kind, ...rest } = update;
      calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...rest });
    }
  return [...calls.values()];
}

function checked(stream: Stream, problems: string[]): Stream {
  const check = createMessageCheck();
  const note = (from: 'agent' | 'client') =>
    new TransformStream<AnyMessage, AnyMessage>({
      transform(message, controller) {
        problems.push(...check({ from, message }));
        controller.enqueue(message);
      },
    });
  const outgoing = note('client');
  void outgoing.readable.pipeTo(stream.writable).catch(() => undefined);
  return { readable: stream.readable.pipeThrough(note('agent')), writable: outgoing.writable };
}

function toWeb(stream: PassThrough): WritableStream<Uint8Array> {
  return Writable.toWeb(stream) as WritableStream<Uint8Array>;
}
