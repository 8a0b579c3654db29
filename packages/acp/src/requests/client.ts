import { errorMessage, sliceHead } from '@kernel/internal';
import type { CallContext, RunningCall, ToolCall, ToolResult } from '@kernel/protocol';
import type * as Sdk from '@agentclientprotocol/sdk/unstable';
import type { Decision } from '../agent/task.ts';
import type { Updates } from '../agent/updates.ts';
import { isCount } from '../agent/usage.ts';
import { realPathWithin } from '../copy/path-within.ts';
import { refused, shown } from '../copy/read-file.ts';
import type { AgentWorkspace } from '../options.ts';
import type { Decisions } from './decisions.ts';
import { readTextFile, writeTextFile } from './files.ts';
import { verdictOn } from './permission.ts';
import type { AgentTerminal, AgentTerminals } from './terminals.ts';

interface ClientOptions {
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

const MAX_TERMINALS = 32;
const INTERNAL_ERROR = -32_603;

/** Creates the client side of a connection: what an agent can ask its client for. What it gets of a failure is the message. */
export function createClient(sdk: typeof Sdk, options: ClientOptions): Sdk.ClientApp {
  const { folder, workspace, updates, decisions, terminals, sessionId } = options;
  const serve =
    <Params extends { readonly sessionId: string }, Result>(
      work: (params: Params, signal: AbortSignal) => Promise<Result> | Result,
    ) =>
    async ({ params, signal }: { readonly params: Params; readonly signal: AbortSignal }): Promise<Result> => {
      try {
        if (params.sessionId !== sessionId()) throw sdk.RequestError.sessionNotFound(sliceHead(params.sessionId, 200));
        return await work(params, signal);
      } catch (error) {
        if (error instanceof sdk.RequestError) throw error;
        throw new sdk.RequestError(INTERNAL_ERROR, errorMessage(error));
      } finally {
        options.onAnswer();
      }
    };
  const decideOn = async (id: string, fields: object, signal: AbortSignal): Promise<Decision> => {
    const verdict = await verdictOn(updates.callWith(id, { ...fields }), folder);
    if ('isAllowed' in verdict) return verdict;
    return decisions.ask(decisions.toCall('permission', verdict.tool, verdict.input), signal);
  };
  const app = sdk
    .client({ name: 'kernel' })
    .onRequest(
      'fs/read_text_file',
      serve(async (params) => ({ content: await readTextFile(folder, params) })),
    )
    .onRequest(
      'fs/write_text_file',
      serve(async (params) => {
        await writeTextFile(folder, workspace, params);
        return {};
      }),
    )
    .onRequest(
      'session/request_permission',
      serve(async ({ toolCall, options: offered }, signal) => {
        const decision = await decideOn(toolCall.toolCallId, toolCall, signal);
        const option = offered.find(({ kind }) => kind === (decision.isAllowed ? 'allow_once' : 'reject_once'));
        // An answer for all times is not ours to give: without another one the request is taken back, and so it is at the end of the turn.
        const outcome =
          option === undefined || sessionId() === undefined || signal.aborted
            ? ({ outcome: 'cancelled' } as const)
            : ({ outcome: 'selected', optionId: option.optionId } as const);
        return { outcome, ...(!decision.isAllowed && { _meta: { reason: decision.reason } }) };
      }),
    )
    // A question may belong to a request instead of the session.
    .onRequest('elicitation/create', () => ({ action: 'decline' as const }));
  if (terminals === undefined) return app;

  const find = ({ terminalId }: { readonly terminalId: string }): AgentTerminal => {
    const found = terminals.find(terminalId);
    if (found === undefined) throw refused(`There is no terminal ${shown(terminalId)}`);
    return found;
  };
  return app
    .onRequest(
      'terminal/create',
      serve(async ({ command, args = [], env = [], cwd, outputByteLimit }, signal) => {
        if (terminals.running() + decisions.waiting() >= MAX_TERMINALS)
          throw refused(`${MAX_TERMINALS} commands are running already; release one first`);
        const below = await realPathWithin(folder, cwd ?? '');
        if (below === undefined) throw refused('cwd is not in the folder of the session');
        const odd = env.find(({ name }) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
        if (odd !== undefined) throw refused(`${shown(odd.name)} cannot be the name of a variable`);
        const variables = env.map(({ name, value }) => `${name}=${value}`);
        const words = [...(variables.length > 0 ? ['env', ...variables] : []), command, ...args];
        const input = { command: words, ...(below !== '.' && { cwd: below }) };
        const call = decisions.toCall('terminal', 'run_command', input);
        const kept = isCount(outputByteLimit) ? outputByteLimit : Infinity;
        // What a person has edited is what runs.
        const run = (decided: ToolCall, context: CallContext & RunningCall): Promise<ToolResult> =>
          terminals.start(decided, context, { input: decided.arguments === call.arguments ? input : undefined, kept });
        const decision = await decisions.ask(call, signal, run);
        if (!decision.isAllowed) throw refused(decision.reason.replace(/\.$/, ''));
        // Decided on before the agent began anew.
        if (terminals.find(call.id) === undefined)
          void run(call, { signal: options.signal }).then((result) => options.onCommandEnd(call, result));
        return { terminalId: call.id };
      }),
    )
    .onRequest(
      'terminal/output',
      serve((params) => {
        const { output, isCut: truncated, end } = find(params);
        return { output, truncated, ...(end !== undefined && { exitStatus: end }) };
      }),
    )
    .onRequest(
      'terminal/wait_for_exit',
      serve((params) => find(params).ended),
    )
    .onRequest(
      'terminal/kill',
      serve((params) => {
        find(params).stop();
        return {};
      }),
    )
    .onRequest(
      'terminal/release',
      serve((params) => {
        terminals.release(find(params).id);
        return {};
      }),
    );
}
