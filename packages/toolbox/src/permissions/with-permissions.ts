import {
  type CallContext,
  checkToolset,
  KernelError,
  toErrorResult,
  type Tool,
  type ToolCall,
  type ToolResult,
  type Toolset,
  wrapToolset,
} from '@kernel/protocol';
import { withClosedFiles } from '../workspace/closed-files.ts';
import { decideText, describeRefusal, parseInput } from './decide-text.ts';
import type { Permissions } from './types.ts';

/**
 * Applies a policy to every call of a toolset. A run asks `approve` only about tools that change something; this also decides on calls of read-only
 * tools that a rule matches, and a call that the rules deny never runs, whoever allowed it. Searches
 * of the toolbox leave out the files that a rule denies or asks about.
 *
 * What was decided on is what runs: arguments are validated first, if the toolset can do that.
 */
export function withPermissions<Context = unknown>(tools: Toolset<Context>, policy: Permissions): Toolset<Context> {
  checkToolset('withPermissions', tools);
  return wrapToolset(tools, {
    async call(call: ToolCall, context: CallContext<Context>): Promise<ToolResult> {
      const validated = context.approved ?? (await tools.validate?.(call, context));
      if (validated !== undefined && 'forLLM' in validated) return validated;
      const tool = validated?.tool ?? tools.list().find(({ name }) => name === call.name);
      if (tool === undefined) return tools.call(call, context);
      const decided: ToolCall = { ...call, name: tool.name, arguments: validated?.arguments ?? call.arguments };
      const refusal = await refuse(policy, decided, tool, context.signal);
      if (refusal !== undefined) return toErrorResult(new KernelError('TOOL_DENIED', refusal), 'denied');
      const allowed = validated === undefined ? context : { ...context, approved: validated };
      const closed = policy.closedFiles(tool.name, parseInput(decided.arguments) ?? {});
      return closed === undefined
        ? tools.call(call, allowed)
        : withClosedFiles(closed, () => tools.call(call, allowed));
    },
  });
}

async function refuse(
  policy: Permissions,
  call: ToolCall,
  tool: Tool,
  signal: AbortSignal,
): Promise<string | undefined> {
  const decision = decideText((name, input) => policy.decide(name, input), call);
  if (decision.verdict === 'deny' || parseInput(call.arguments) === undefined) return describeRefusal(decision);
  // About tools that change something the run asks; reads that no rule is about are free.
  if (decision.verdict === 'allow' || decision.rule === undefined || tool.effect !== 'read') return undefined;
  const answer = await policy.approve({ call, tool, signal });
  if (answer.decision === 'allow') return undefined;
  return answer.decision === 'deny' ? answer.reason : 'It was not allowed as it is.';
}
