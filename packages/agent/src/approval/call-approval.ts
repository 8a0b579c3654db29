import {
  rewritesCalls,
  type AgentEvent,
  type CallContext,
  isToolResult,
  type RecordedDecision,
  type PendingCall,
  type SuspendedCall,
  type ToolCall,
  type ToolResult,
  type Toolset,
  type TurnContext,
} from '@kernel/protocol';
import type { Approve } from '@kernel/protocol';
import { isForOther, needsApproval, requestDecision } from './approval.ts';
import { findTool } from '../loop/offered-tools.ts';
import { type CheckedCall, validateCall } from './validate-call.ts';

/** What came of a question: a decision and what it holds for, that the call is pending, or the result of a call that cannot run. */
export type CallDecision =
  | (RecordedDecision & { readonly digest: string })
  | { readonly decision: 'later'; readonly pending: PendingCall }
  | { readonly decision: 'refused'; readonly result: ToolResult };

const MAX_QUESTIONS = 5;

export type CallApproval = ReturnType<typeof createCallApproval>;

export function createCallApproval(
  approve: Approve,
  timeoutMs: number,
  tools: Toolset | undefined,
  path: readonly string[],
) {
  const asked = new Map<string, { readonly call: ToolCall; readonly checked: CheckedCall }>();

  const validate = async (call: ToolCall, context: CallContext): Promise<CheckedCall | ToolResult> => {
    const checked = await validateCall(tools, call, context);
    if (!isToolResult(checked)) asked.set(call.id, { call, checked });
    return checked;
  };

  const knownOf = (call: ToolCall): CheckedCall | undefined => {
    const known = asked.get(call.id);
    return known?.call.name === call.name && known.call.arguments === call.arguments ? known.checked : undefined;
  };

  /** The decision that is kept of a call, if it was made about what would run now. */
  const keptDecision = async (
    call: ToolCall,
    kept: SuspendedCall | undefined,
    context: CallContext,
  ): Promise<CallDecision | undefined> => {
    if (kept?.decision === undefined) return undefined;
    const checked = await validate(withDecision(call, kept.decision), context);
    if (isToolResult(checked) || checked.digest !== kept.digest) return undefined;
    return { ...kept.decision, digest: checked.digest };
  };

  return {
    /** Asks about a call, unless what is kept of it has a decision that still holds. Never rejects. */
    async decide(
      call: ToolCall,
      kept: SuspendedCall | undefined,
      context: CallContext,
      onRequest: (event: AgentEvent) => void | Promise<void>,
    ): Promise<CallDecision> {
      const decided = await keptDecision(call, kept, context);
      if (decided !== undefined) return decided;
      for (let question = 1; ; question += 1) {
        // A call that was checked a moment ago is not checked again: hooks run once for each call.
        const checked = (question === 1 ? knownOf(call) : undefined) ?? (await validate(call, context));
        if (isToolResult(checked)) return { decision: 'refused', result: checked };
        const { tool, digest } = checked;
        if (question > MAX_QUESTIONS)
          return { decision: 'deny', reason: 'the tool changes each time that it is asked about.', digest };
        const shown = { ...call, name: tool.name, arguments: checked.arguments };
        await onRequest({ type: 'approval-request', call: shown, tool });
        const answer = await requestDecision(
          approve,
          { call: shown, tool, path, digest, context: context.context, signal: context.signal },
          timeoutMs,
        );
        if (answer.decision === 'deny') return { ...answer, digest };
        if (answer.decision === 'later' || isForOther(answer, digest))
          return { decision: 'later', pending: { ...shown, tool, path, digest } };
        if (!checked.isCurrent()) continue;
        if (answer.decision === 'allow') return { decision: 'allow', digest };
        const edited = await validate({ ...call, arguments: answer.arguments }, context);
        if (isToolResult(edited)) return { decision: 'refused', result: edited };
        return { decision: 'edit', arguments: answer.arguments, digest: edited.digest };
      }
    },
    /** Returns the call as it will run if that is what a digest was given for, or the result of a call that cannot run; undefined if it has changed. */
    async confirm(call: ToolCall, digest: string, context: CallContext): Promise<CheckedCall | ToolResult | undefined> {
      const known = knownOf(call);
      asked.delete(call.id);
      // Not validated once more: a schema may make something else of the arguments each time.
      const checked = known ?? (await validateCall(tools, call, context));
      if (isToolResult(checked)) return checked;
      return checked.digest === digest && checked.isCurrent() ? checked : undefined;
    },
    /** What a call that seems to need no decision would run. Undefined if it needs none, whatever the toolset makes of it. */
    async check(call: ToolCall, context: CallContext): Promise<CheckedCall | ToolResult | undefined> {
      return tools !== undefined && rewritesCalls(tools) ? validate(call, context) : undefined;
    },
    isNeeded(name: string, turn: TurnContext | undefined): boolean {
      const tool = findTool(tools, name, turn);
      return tool !== undefined && needsApproval(tool);
    },
  };
}

export function withDecision(call: ToolCall, decision: RecordedDecision): ToolCall {
  return decision.decision === 'edit' ? { ...call, arguments: decision.arguments } : call;
}
