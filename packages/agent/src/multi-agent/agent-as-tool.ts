import { hasAsyncStorage } from '@kernel/internal';
import {
  checkProvider,
  checkToolset,
  type AgentEvent,
  asyncResult,
  checkKeys,
  errorResult,
  type JsonValue,
  KernelError,
  type Message,
  type SuspendedAgent,
  optionKeys,
  toErrorResult,
  type Tool,
  type ToolContext,
  type ToolEffect,
  type ToolResult,
  type ApprovalDecision,
  type Approve,
  type Emit,
} from '@kernel/protocol';
import { collect, type RunResult } from '../collect.ts';
import { addChildUsage, currentScope, runAsAgent, takeMessages } from '../loop/run-scope.ts';
import { inProcessSteps } from '../loop/steps.ts';
import { describeWork } from './describe-work.ts';
import { checkLimits } from '../limits/run-limits.ts';
import { INNER_RUN_KEYS, type InnerRunOptions } from '../option-keys.ts';
import { run } from '../run.ts';

/** Options of `agentAsTool`: the tool, and the agent behind it. */
export interface AgentAsToolOptions<Context = unknown> {
  /** The name of the tool. */
  readonly name: string;
  /** What the agent can be asked to do, for the calling model. */
  readonly description: string;
  /** How the agent runs: its provider, model, tools, system prompt and limits. The abort signal, and the approval unless set here, come from the caller. */
  readonly run: InnerRunOptions<Context>;
  /** Whether the call returns at once and its late result follows, as with an async tool. Default false. */
  readonly background?: boolean | undefined;
  /** Whether the reader of the caller's run gets the agent's events, as `sub-agent-event`. Default true. */
  readonly events?: boolean | undefined;
  /** The effect of a call as a whole. Default `external`; the agent's own calls are still approved one by one. */
  readonly effect?: ToolEffect | undefined;
  /** How deep agents may call each other; the outermost run counts as 1. Default 3. */
  readonly maxDepth?: number | undefined;
}

/** A tool and the handler that runs an agent for it: `createRegistry([agentAsTool({ … })])`. */
export interface AgentBinding<Context = unknown> {
  /** The tool that a model sees. */
  readonly tool: Tool;
  /** Runs the agent. */
  readonly handler: (
    input: {
      /** What the agent is to do, in the calling model's words: the user message of its run. */
      readonly task: string;
    },
    context: ToolContext<Context>,
  ) => Promise<ToolResult>;
  /** The agent has limits of its own, so the registry sets none. */
  readonly timeoutMs: 0;
  /** Whether an executor can record the steps of the agent as its own: not those of one in the background. */
  readonly runsAgent: boolean;
}

const MAX_DEPTH = 3;

const AGENT_KEYS = optionKeys<AgentAsToolOptions>({
  name: true,
  description: true,
  run: true,
  background: true,
  events: true,
  effect: true,
  maxDepth: true,
});

/**
 * Turns an agent into a tool that takes a `task` and returns the agent's answer.
 *
 * The agent is aborted with its caller, asks the caller's `approve`, and adds its usage to the caller's. Beyond `maxDepth` a call is denied.
 * A run that ends without an answer is a failed result with its reason.
 *
 * If a call of the agent waits for a decision, the caller's run ends with `approval` too; when it continues, it resumes the agent where it stopped.
 * An agent in the background cannot wait: `later` denies there.
 *
 * An executor records the steps of the agent as its own where a registry holds it. A toolset of your own says so with `runsAgent` of its prepared calls.
 */
export function agentAsTool<Context = unknown>(options: AgentAsToolOptions<Context>): AgentBinding<Context>;
export function agentAsTool(options: AgentAsToolOptions): AgentBinding {
  checkKeys('agentAsTool', options, AGENT_KEYS);
  if (!hasAsyncStorage()) {
    throw new KernelError('CONFIG_INVALID', 'agentAsTool needs AsyncLocalStorage, which this runtime has not.', {
      hint: 'Without it, an agent would not know the approval, the limits and the depth of its caller. Workers have it with nodejs_compat.',
    });
  }
  checkKeys(`agentAsTool, "${options.name}"`, options.run, INNER_RUN_KEYS, 'run.');
  checkProvider(`agentAsTool, "${options.name}"`, options.run.provider);
  if (options.run.tools !== undefined) checkToolset(`agentAsTool, "${options.name}"`, options.run.tools);
  checkLimits(options.run.limits ?? {});
  if (options.run.steps !== undefined)
    throw new KernelError(
      'CONFIG_INVALID',
      `agentAsTool, "${options.name}": run.steps would record all runs of the agent under the same ids.`,
      { hint: 'Leave it out: the executor of the caller executes the steps of the agent too.' },
    );
  const { name, description, background = false, effect = 'external', maxDepth = MAX_DEPTH } = options;
  const tool: Tool = {
    name,
    description,
    parameters: {
      type: 'object',
      properties: {
        task: { type: 'string', description: 'What the agent is to do, with everything it needs to know.' },
      },
      required: ['task'],
    },
    effect,
  };
  const handler: AgentBinding['handler'] = async ({ task }, context) => {
    const scope = currentScope();
    const depth = scope?.depth ?? 1;
    if (depth >= maxDepth)
      return toErrorResult(
        new KernelError('TOOL_DENIED', `"${name}" would run at depth ${depth + 1}; the limit is ${maxDepth}.`),
      );
    const running = runAgent(options, task, context).then((result) => {
      if (scope !== undefined) addChildUsage(scope, result.usage);
      if (result.reason !== 'approval' || scope === undefined || background)
        return toResult(name, result, options.run.limits?.onLimit === 'answer');
      // The history of a run is JSON; its interfaces lack the index signature that says so.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const messages = result.messages as unknown as SuspendedAgent['messages'];
      scope.children.agents.push({ name, task, messages });
      scope.children.pending.push(...result.pending);
      return { forLLM: `"${name}" waits for a decision.`, outcome: 'pending' as const };
    });
    if (!background) return running;
    void running.then((result) => context.onComplete?.(result));
    return asyncResult(`"${name}" has begun; its answer comes later.`);
  };
  // The caller's executor executes the steps of the agent; one in the background outlives its call.
  return { tool, timeoutMs: 0, handler, runsAgent: !background };
}

function runAgent(
  { name, run: options, background = false, events: isForwarded = true }: AgentAsToolOptions,
  task: string,
  context: ToolContext,
): Promise<RunResult> {
  const scope = currentScope();
  const asked = options.approve ?? scope?.approve;
  const approve = background && asked !== undefined ? withoutLater(asked) : asked;
  const approvalTimeoutMs = options.approvalTimeoutMs ?? scope?.approvalTimeoutMs;
  const { signal, conversation, context: value, idempotencyKey: runId = options.runId, onProgress } = context;
  // Checked by `run`, as any history is.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const kept = (scope && takeMessages(scope, name, task)) as readonly Message[] | undefined;
  const messages = kept ?? ([{ role: 'user', content: task }] as const);
  return runAsAgent(() => {
    const events = run({
      ...options,
      ...(background && { steps: inProcessSteps }),
      messages,
      signal,
      conversation,
      context: value,
      runId,
      approve,
      approvalTimeoutMs,
    });
    const emit = isForwarded ? scope?.emit : undefined;
    return collect(forwardEvents(events, [name, context.callId], emit, onProgress));
  });
}

/** Denies what would be decided on later. */
function withoutLater(approve: Approve): Approve {
  return async (request): Promise<ApprovalDecision> => {
    const answer = await approve(request);
    if (answer.decision !== 'later') return answer;
    return { decision: 'deny', reason: 'an agent in the background cannot wait for a decision.' };
  };
}

/** Reports each tool that the agent calls as progress, and passes the events on to the reader of the caller's run, at that reader's pace. */
async function* forwardEvents(
  events: AsyncGenerator<AgentEvent, void>,
  path: readonly string[],
  emit: Emit | undefined,
  onProgress: ToolContext['onProgress'],
): AsyncGenerator<AgentEvent, void> {
  for await (const event of events) {
    if (event.type === 'tool-start') onProgress?.(`calls ${event.call.name}`);
    const drained = emit?.(toSubAgentEvent(event, path));
    if (drained !== undefined) await drained;
    yield event;
  }
}

function toSubAgentEvent(event: AgentEvent, path: readonly string[]): AgentEvent {
  if (event.type !== 'sub-agent-event') return { type: 'sub-agent-event', path, event };
  return { ...event, path: [...path, ...event.path] };
}

function typedResult(answer: string): ToolResult {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
  return { forLLM: answer, data: JSON.parse(answer) as JsonValue };
}

function toResult(name: string, result: RunResult, isClosed: boolean): ToolResult {
  if ('output' in result && result.output !== undefined && result.answer !== undefined)
    return typedResult(result.answer);
  if (result.reason === 'done' || result.reason === 'handled') return { forLLM: result.answer };
  if (result.reason === 'error') {
    const failed = toErrorResult(result.error);
    return result.toolCalls.length === 0 ? failed : { ...failed, forLLM: `${failed.forLLM} ${describeWork(result)}` };
  }
  if (result.reason === 'aborted')
    return {
      ...errorResult(`TOOL_CANCELLED: "${name}" was stopped. ${describeWork(result)}`),
      outcome: 'cancelled',
      code: 'TOOL_CANCELLED',
    };
  // The last thing that it was asked for was an answer from what it knew; there is no time for that after the time limit.
  const hasClosingTurn = result.reason === 'loop' || (result.reason === 'limit' && result.limit !== 'time');
  if (hasClosingTurn && isClosed && result.answer !== undefined)
    return {
      forLLM: `"${name}" was stopped (${result.reason}), and answered from what it knew by then: ${result.answer}`,
    };
  const why = result.reason === 'limit' ? `limit: ${result.limit}` : result.reason;
  const said = 'answer' in result && result.answer !== undefined ? ` So far: ${result.answer}` : '';
  const done = result.toolCalls.length === 0 ? said : ` ${describeWork(result)}`;
  return errorResult(`"${name}" ended without an answer (${why}).${done}`);
}
