import { errorMessage, sliceHead } from '@kernel/internal';
import type { ToolCall, ToolResult } from '@kernel/protocol';
import type { ClientApp } from '@agentclientprotocol/sdk/unstable';
import type { Sdk } from '../agent/session-types.ts';
import type { Updates } from '../agent/updates.ts';
import { isCount } from '../agent/usage.ts';
import { realPathWithin } from '../copy/path-within.ts';
import type { AgentWorkspace } from '../options.ts';
import type { Decision, Decisions } from './decisions.ts';
import { readTextFile, writeTextFile } from './files.ts';
import { verdictOn } from './permission.ts';
import { type AgentTerminal, type AgentTerminals, MAX_TERMINALS } from './terminals.ts';

/** Options of `createClient`. */
export interface ClientOptions {
  /** The folder of the copy. */
  readonly folder: string;
  readonly workspace: AgentWorkspace;
  readonly updates: Updates;
  readonly decisions: Decisions;
  /** The commands of the agent; undefined if it has none. */
  readonly terminals: AgentTerminals | undefined;
  /** The session; undefined before there is one, and when its turn has ended. */
  readonly sessionId: () => string | undefined;
  /** Aborts what runs for it. */
  readonly signal: AbortSignal;
  /** Called when a command has ended that is not a call of this run, because it was decided on before the agent began anew. */
  readonly onCommandEnd: (call: ToolCall, result: ToolResult) => void;
  /** Called when a request was answered. */
  readonly onAnswer: () => void;
}

interface SessionParams {
  readonly sessionId: string;
}

/** Creates the client side of a connection: what an agent can ask its client for. What it gets of a failure is the message. */
export function createClient(sdk: Sdk, options: ClientOptions): ClientApp {
  const { folder, workspace, terminals } = options;
  const app = sdk.client({ name: 'kernel' });
  const serve = createRequestRunner(sdk, options);
  app
    .onRequest('fs/read_text_file', ({ params }) =>
      serve(params, async () => ({ content: await readTextFile(folder, params) })),
    )
    .onRequest('fs/write_text_file', ({ params }) =>
      serve(params, async () => {
        await writeTextFile(folder, workspace, params);
        return {};
      }),
    )
    .onRequest('session/request_permission', ({ params, signal }) =>
      serve(params, async () => {
        const { toolCall } = params;
        const decision = await decideOn(options, toolCall.toolCallId, { ...toolCall }, signal);
        const option = params.options.find(({ kind }) => kind === (decision.isAllowed ? 'allow_once' : 'reject_once'));
        // An answer for all times is not ours to give: without another one the request is taken back, and so it is at the end of the turn.
        const outcome =
          option === undefined || options.sessionId() === undefined || signal.aborted
            ? ({ outcome: 'cancelled' } as const)
            : ({ outcome: 'selected', optionId: option.optionId } as const);
        return { outcome, ...(!decision.isAllowed && { _meta: { reason: decision.reason } }) };
      }),
    )
    // A question may belong to a request instead of the session.
    .onRequest('elicitation/create', () => ({ action: 'decline' as const }));
  if (terminals !== undefined) serveTerminals(sdk, app, { ...options, terminals }, serve);
  return app;
}

type RequestRunner = <T>(params: SessionParams, work: () => Promise<T> | T) => Promise<T>;

function createRequestRunner(sdk: Sdk, { sessionId, onAnswer }: ClientOptions): RequestRunner {
  return async (params, work) => {
    try {
      if (params.sessionId !== sessionId()) throw sdk.RequestError.sessionNotFound(sliceHead(params.sessionId, 200));
      return await work();
    } catch (error) {
      if (error instanceof sdk.RequestError) throw error;
      throw new sdk.RequestError(INTERNAL_ERROR, errorMessage(error));
    } finally {
      onAnswer();
    }
  };
}

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

const WITHDRAWN: Decision = { isAllowed: false, reason: 'The agent has taken its request back.' };

async function decideOn(
  { updates, decisions, folder }: ClientOptions,
  id: string,
  fields: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Decision> {
  const decided = await verdictOn(updates.callWith(id, fields), folder);
  if (decided.verdict === 'allow') return { isAllowed: true };
  if (decided.verdict === 'deny') return { isAllowed: false, reason: decided.reason };
  const call = decisions.toCall('permission', decided.tool, decided.input);
  signal.addEventListener('abort', () => decisions.decide(call.id, WITHDRAWN), { once: true });
  return signal.aborted ? WITHDRAWN : decisions.ask(call);
}

function serveTerminals(
  sdk: Sdk,
  app: ClientApp,
  options: ClientOptions & { readonly terminals: AgentTerminals },
  serve: RequestRunner,
): void {
  const { folder, decisions, terminals } = options;
  const find = ({ terminalId }: { readonly terminalId: string }): AgentTerminal => {
    const found = terminals.find(terminalId);
    if (found !== undefined) return found;
    throw new sdk.RequestError(INVALID_PARAMS, `There is no terminal ${JSON.stringify(sliceHead(terminalId, 80))}.`);
  };
  app
    .onRequest('terminal/create', ({ params, signal }) =>
      serve(params, async () => {
        if (terminals.running() >= MAX_TERMINALS)
          throw new sdk.RequestError(
            INTERNAL_ERROR,
            `${MAX_TERMINALS} commands are running already; release one first.`,
          );
        const { command, args = [], env = [], cwd, outputByteLimit } = params;
        const below = (cwd ?? '') === '' ? '.' : await realPathWithin(folder, cwd ?? '');
        if (below === undefined) throw new sdk.RequestError(INVALID_PARAMS, 'cwd is not in the folder of the session.');
        const odd = env.find(({ name }) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
        if (odd !== undefined)
          throw new sdk.RequestError(
            INVALID_PARAMS,
            `${JSON.stringify(sliceHead(odd.name, 80))} cannot be the name of a variable.`,
          );
        const variables = env.map(({ name, value }) => `${name}=${value}`);
        const words = [...(variables.length > 0 ? ['env', ...variables] : []), command, ...args];
        const input = { command: words, ...(below !== '.' && { cwd: below }) };
        const call = decisions.toCall('terminal', 'run_command', input);
        const started = terminals.expect(call, input, isCount(outputByteLimit) ? outputByteLimit : Infinity);
        signal.addEventListener('abort', () => decisions.decide(call.id, WITHDRAWN), { once: true });
        const answer = await Promise.race([decisions.ask(call), started]);
        if (!('isAllowed' in answer)) return { terminalId: answer.id };
        // Decided on before the agent began anew.
        if (answer.isAllowed) {
          const running = terminals.start(call, { signal: options.signal });
          void running?.then((result) => options.onCommandEnd(call, result));
          return { terminalId: (await started).id };
        }
        terminals.forget(call.id);
        throw new sdk.RequestError(INTERNAL_ERROR, answer.reason);
      }),
    )
    .onRequest('terminal/output', ({ params }) =>
      serve(params, () => {
        const { output, isCut: truncated, end } = find(params);
        return { output, truncated, ...(end !== undefined && { exitStatus: end }) };
      }),
    )
    .onRequest('terminal/wait_for_exit', ({ params }) => serve(params, () => find(params).ended))
    .onRequest('terminal/kill', ({ params }) =>
      serve(params, () => {
        find(params).stop();
        return {};
      }),
    )
    .onRequest('terminal/release', ({ params }) =>
      serve(params, () => {
        terminals.release(find(params).id);
        return {};
      }),
    );
}
