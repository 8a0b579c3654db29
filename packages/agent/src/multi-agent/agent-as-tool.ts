import {
  asyncResult,
  errorResult,
  KernelError,
  toErrorResult,
  type Tool,
  type ToolContext,
  type ToolEffect,
  type ToolResult,
} from '@kernel/protocol';
import { collect, type RunResult } from '../collect.ts';
import type { RunOptions } from '../options.ts';
import { run } from '../run.ts';
import { currentScope } from '../loop/run-scope.ts';

/** How deep agents may call agents: the outermost run is 1. */
export const MAX_AGENT_DEPTH = 3;

/** What makes an agent a tool of another. */
export interface AgentToolOptions {
  readonly name: string;
  /** What the agent can be asked for, for the calling model. */
  readonly description: string;
  /** How it runs: its own provider, model, tools, system prompt and limits. Abort and approval come from the caller. */
  readonly run: Omit<RunOptions, 'messages' | 'signal' | 'conversation'>;
  /** Answers at once and gives the outcome later, as an async tool does. */
  readonly background?: boolean | undefined;
  /** What a call may change at most. Default `external`: its own tools are asked about one by one all the same. */
  readonly effect?: ToolEffect | undefined;
  /** Default 3. */
  readonly maxDepth?: number | undefined;
}

/** A tool and its handler, for `bindTool(tool, handler, { timeoutMs: 0 })`: a sub-agent has limits of its own. */
export interface AgentTool {
  readonly tool: Tool;
  readonly handler: (input: { readonly task: string }, context: ToolContext) => Promise<ToolResult>;
}

/**
 * Makes an agent a tool that takes a `task` and returns the agent's answer.
 *
 * The caller's abort reaches it, its questions for approval reach the caller's `approve`, and what it uses is added to the
 * caller's usage. Deeper than `maxDepth` it refuses. A run that ends without an answer is a failed result with its reason.
 */
export function agentAsTool(options: AgentToolOptions): AgentTool {
  const { name, description, background = false, effect = 'external', maxDepth = MAX_AGENT_DEPTH } = options;
  const tool: Tool = {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { task: { type: 'string', description: 'What the agent shall do, with all it needs to know.' } },
      required: ['task'],
    },
    effect,
  };
  return {
    tool,
    handler: async ({ task }, context) => {
      const scope = currentScope();
      const depth = scope?.depth ?? 1;
      if (depth >= maxDepth)
        return toErrorResult(
          new KernelError('TOOL_DENIED', `"${name}" would be agent ${depth + 1} deep; at most ${maxDepth}.`),
        );
      const work = perform(options, task, context).then((result) => {
        scope?.addUsage(result.usage);
        return toResult(name, result);
      });
      if (!background) return work;
      void work.then((result) => context.onComplete?.(result));
      return asyncResult(`"${name}" has begun; its answer comes later.`);
    },
  };
}

function perform({ run: options }: AgentToolOptions, task: string, context: ToolContext): Promise<RunResult> {
  const approve = options.approve ?? currentScope()?.approve;
  const { signal, conversation, onProgress } = context;
  const messages = [{ role: 'user', content: task }] as const;
  return collect(reporting(run({ ...options, messages, signal, conversation, approve }), onProgress));
}

/** Tells the caller's reader which tools the agent calls. */
async function* reporting(
  events: ReturnType<typeof run>,
  onProgress: ToolContext['onProgress'],
): ReturnType<typeof run> {
  for await (const event of events) {
    if (event.type === 'tool-start') onProgress?.(`calls ${event.call.name}`);
    yield event;
  }
}

function toResult(name: string, result: RunResult): ToolResult {
  if (result.reason === 'done' || result.reason === 'handled') return { forLLM: result.answer };
  if (result.reason === 'error') return toErrorResult(result.error);
  if (result.reason === 'aborted')
    return { ...errorResult(`TOOL_CANCELLED: "${name}" was stopped.`), outcome: 'cancelled', code: 'TOOL_CANCELLED' };
  const soFar = 'answer' in result && result.answer !== undefined ? ` So far: ${result.answer}` : '';
  return errorResult(`"${name}" ended without an answer (${result.reason}).${soFar}`);
}
