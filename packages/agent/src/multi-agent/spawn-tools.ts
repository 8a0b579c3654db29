import { linkAbort, nearest, sliceHead } from '@kernel/internal';
import {
  checkNumber,
  errorResult,
  KernelError,
  toErrorResult,
  type ToolContext,
  type ToolEffect,
  type ToolWithHandler,
  type ToolResult,
  type Toolset,
} from '@kernel/protocol';
import type { RunLimits } from '../limits/run-limits.ts';
import type { InnerRunOptions } from '../option-keys.ts';
import { withSelectedTools } from '../wrappers/with-selected-tools.ts';
import { agentAsTool } from './agent-as-tool.ts';
import { createSpawnedAgents, type SpawnedAgent } from './spawned-agents.ts';
import { SPAWN, SPAWN_STATUS, SPAWN_STOP } from './spawn-definitions.ts';

/** Options of `spawnTools`: how the agents that a model starts run. */
export interface SpawnOptions<Context = unknown> {
  /** How an agent runs: its provider, model, tools, system prompt and limits. A call can choose among the tools and lower the limits, never add. */
  readonly run: InnerRunOptions<Context>;
  /** How deep agents may start each other; the outermost run counts as 1. Default 3. */
  readonly maxDepth?: number | undefined;
  /** How many agents of one run may run at once. Default 4. */
  readonly maxRunning?: number | undefined;
  /** The effect of starting an agent. Default `external`; the agent's own calls are still approved one by one. */
  readonly effect?: ToolEffect | undefined;
}

interface SpawnInput {
  readonly task: string;
  readonly tools?: readonly string[];
  readonly turns?: number;
  readonly tokens?: number;
  readonly background?: boolean;
}

const MAX_RUNNING = 4;
const DEFAULT_TURNS = 25;

/**
 * Creates the tools `spawn`, `spawn_status` and `spawn_stop`, with which a model starts agents for parts of its work, in the background if it wants,
 * checks on them, and stops them.
 *
 * Each agent is an `agentAsTool`: it is aborted with its caller, even in the background when the caller's run ends (`withAsyncPolicy` waits for it),
 * its calls are approved by the caller's `approve`, and its usage is added to the caller's. A run sees its own agents only. They are known only in
 * this process: a run continued in another process does not know those in the background.
 */
export function spawnTools<Context = unknown>(options: SpawnOptions<Context>): readonly ToolWithHandler<Context>[];
export function spawnTools(options: SpawnOptions): readonly ToolWithHandler[] {
  checkNumber('spawnTools', 'maxRunning', options.maxRunning, 1);
  checkNumber('spawnTools', 'maxDepth', options.maxDepth, 1);
  const { run, maxDepth, maxRunning = MAX_RUNNING, effect = 'external' } = options;
  const description = SPAWN.description;
  if (run.steps !== undefined)
    throw new KernelError(
      'CONFIG_INVALID',
      'spawnTools: run.steps would record the steps of all agents under the same ids.',
      {
        hint: 'Leave it out: the whole agent is one step of the run that starts it.',
      },
    );
  // Checks the options of the run now, not at the first call.
  agentAsTool({ name: SPAWN.name, description, run });
  const agents = createSpawnedAgents();

  const spawn = async (input: SpawnInput, context: ToolContext): Promise<ToolResult> => {
    const { task, background = false } = input;
    const ofRun = agents.of(context);
    const running = ofRun.filter((agent) => agent.isRunning()).length;
    if (running >= maxRunning)
      return toErrorResult(
        new KernelError('TOOL_DENIED', `${running} agents are at work, which is the limit.`, {
          hint: 'Wait for one, or stop one with spawn_stop.',
        }),
      );
    const tools = chooseTools(run.tools, input.tools);
    if (tools instanceof KernelError) return toErrorResult(tools);
    const controller = new AbortController();
    const agent = agents.start(context, task, () => controller.abort());
    const unlink = linkAbort(context.signal, controller);
    const end = (result: ToolResult): ToolResult => {
      if (result.outcome !== 'pending') agent.end(result);
      unlink();
      return result;
    };
    const limits = lowerLimits(run.limits, input);
    const inner = agentAsTool({ name: SPAWN.name, description, run: { ...run, tools, limits }, background, maxDepth });
    const result = await inner.handler(
      { task },
      {
        ...context,
        signal: controller.signal,
        onProgress: (update) => {
          agent.report(update);
          context.onProgress?.(`${agent.id} ${update}`);
        },
        onComplete: (late) => context.onComplete?.(named(agent, end(late))),
      },
    );
    if (result.async !== true) return end(result);
    return {
      ...result,
      forLLM: `${agent.id} has begun; its answer comes later, and it is stopped if you end first. spawn_status tells what it does.`,
    };
  };

  return [
    { tool: { ...SPAWN, effect }, handler: spawn, timeoutMs: 0, concurrency: Infinity },
    {
      tool: SPAWN_STATUS,
      handler: ({ id }: { readonly id?: string }, context: ToolContext) => {
        const ofRun = agents.of(context);
        if (id !== undefined) return find(ofRun, id, (agent) => agent.describe());
        return ofRun.map((agent) => agent.describe()).join('\n') || 'No agent has been started.';
      },
    },
    {
      tool: SPAWN_STOP,
      handler: ({ id }: { readonly id: string }, context: ToolContext) =>
        find(agents.of(context), id, (agent) => {
          if (!agent.isRunning()) return `${agent.describe()}; there was nothing to stop.`;
          agent.stop();
          return `${id} is being stopped.`;
        }),
    },
  ];
}

function find(agents: readonly SpawnedAgent[], id: string, use: (agent: SpawnedAgent) => string): string | ToolResult {
  const agent = agents.find((each) => each.id === id);
  if (agent !== undefined) return use(agent);
  const known = agents.map((each) => each.id).join(', ');
  return errorResult(
    `There is no agent ${JSON.stringify(id)}. ${known === '' ? 'None has been started.' : `Known: ${known}.`}`,
  );
}

/** Late results of several agents arrive in any order, so each says whose it is. */
function named(agent: SpawnedAgent, result: ToolResult): ToolResult {
  return { ...result, forLLM: `${agent.id}: ${result.forLLM}` };
}

function chooseTools(
  tools: Toolset | undefined,
  names: readonly string[] | undefined,
): Toolset | undefined | KernelError {
  if (names === undefined) return tools;
  const known = tools?.list().map((tool) => tool.name) ?? [];
  for (const name of names) {
    // A toolset that offers tools by turn may list none before the first.
    if (known.includes(name) || (known.length === 0 && tools?.listFor !== undefined)) continue;
    const [near] = nearest(name, known, 1);
    return new KernelError('TOOL_NOT_FOUND', `An agent cannot have the tool "${sliceHead(name, 80)}".`, {
      hint: near === undefined ? `It can have: ${known.join(', ') || 'none'}.` : `Did you mean "${near}"?`,
    });
  }
  return tools === undefined
    ? undefined
    : withSelectedTools(tools, (offered) => offered.filter((tool) => names.includes(tool.name)));
}

/** Lowers limits to what a call asks for; a call cannot raise them. */
function lowerLimits(limits: RunLimits = {}, asked: SpawnInput): RunLimits {
  const { turns = DEFAULT_TURNS, tokens = Infinity } = limits;
  return {
    ...limits,
    turns: asked.turns === undefined ? turns : Math.min(asked.turns, turns === 0 ? Infinity : turns),
    ...(asked.tokens === undefined ? {} : { tokens: Math.min(asked.tokens, tokens) }),
  };
}
