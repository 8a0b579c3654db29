import { createRedactor, onAbort } from '@kernel/internal';
import type { CallContext, RunningCall, ToolCall, ToolResult } from '@kernel/protocol';
import type { AgentTask, Decision } from '../agent/task.ts';
import type { CheckedOptions } from '../check-options.ts';

/** Runs what a call stands for. */
type Runner = (call: ToolCall, context: CallContext & RunningCall) => Promise<ToolResult>;

const WITHDRAWN: Decision = { isAllowed: false, reason: 'The agent has taken its request back.' };
const UNSHOWN: Decision = {
  isAllowed: false,
  reason: 'It holds what looks like a key, so it cannot be shown whole. Take the key from a variable.',
};

/** The requests of an agent that wait for a decision of the run. */
export type Decisions = ReturnType<typeof createDecisions>;

/** Creates the record of what waits for a decision. */
export function createDecisions(
  { name: agent, env }: CheckedOptions,
  { redactor, earlierDecision, firstRequest }: AgentTask,
  onRequest: (call: ToolCall) => void,
) {
  const keys = createRedactor();
  /** Whether more would be hidden than what was given: an agent could name a program so that it looks like a key. */
  const hidesMore = (json: string): boolean => {
    const rest = Object.values(env).reduce(
      (text, secret) => text.replaceAll(JSON.stringify(secret).slice(1, -1) || '\0', ''),
      json,
    );
    return keys.text(rest) !== rest;
  };
  const hidden = new Set<string>();
  const waiting = new Map<
    string,
    { readonly settle: (decision: Decision) => void; readonly run: Runner | undefined }
  >();
  let next = Promise.withResolvers<void>();
  let number = firstRequest - 1;
  let refusal: Decision | undefined;
  const decide = (callId: string, decision: Decision): void => {
    waiting.get(callId)?.settle(decision);
    waiting.delete(callId);
  };
  return {
    /** Makes a call of a request: its id tells what kind it is. */
    toCall(kind: 'permission' | 'terminal', tool: string, input: object): ToolCall {
      number += 1;
      const id = `${kind}-${number}`;
      if (hidesMore(JSON.stringify(input))) hidden.add(id);
      return { type: 'tool-call', id, name: tool, arguments: JSON.stringify(redactor.data({ agent, ...input })) };
    },
    /** Has the run decide on a call, until the agent takes it back. `run` is what runs it. Never rejects. */
    ask(call: ToolCall, signal: AbortSignal, run?: Runner): Promise<Decision> {
      if (signal.aborted) return Promise.resolve(WITHDRAWN);
      const known = hidden.has(call.id) ? UNSHOWN : (refusal ?? earlierDecision(call));
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((settle) => {
        waiting.set(call.id, { settle, run });
        onAbort(signal, () => decide(call.id, WITHDRAWN));
        onRequest(call);
        next.resolve();
        next = Promise.withResolvers();
      });
    },
    /** Decides. A call that was decided on before stays as it was. */
    decide,
    /** Allows a call and runs it; undefined if it does not wait. */
    run(call: ToolCall, context: CallContext & RunningCall): Promise<ToolResult> | undefined {
      const running = waiting.get(call.id)?.run?.(call, context);
      decide(call.id, { isAllowed: true });
      return running;
    },
    isWaiting: (callId: string) => waiting.has(callId),
    /** How many wait. */
    waiting: () => waiting.size,
    /** Resolves when one waits, at once if one does, and when all are refused. */
    untilNextRequest: () => (refusal !== undefined || waiting.size > 0 ? Promise.resolve() : next.promise),
    /** Refuses all that wait, and all that come. */
    refuseAll(reason: string): void {
      refusal ??= { isAllowed: false, reason };
      for (const id of waiting.keys()) decide(id, refusal);
      next.resolve();
    },
  };
}
