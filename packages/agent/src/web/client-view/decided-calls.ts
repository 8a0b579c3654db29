import type { AgentEvent, ToolCall, ToolResult } from '@kernel/protocol';
import type { ClientDecidedCallEnd } from './client-event-types.ts';
import { type Shown, toClientCall, toClientCallResult } from './client-values.ts';

/** Returns how a call of a sub-agent ended on which the client decided in an earlier run; undefined for any other event. */
export type DecidedCalls = (path: readonly string[], event: AgentEvent) => ClientDecidedCallEnd | undefined;

/** The run of one agent, until it ends. */
interface AgentRun {
  readonly decided: Map<string, ToolCall>;
  hasBegun: boolean;
}

export function createDecidedCalls(shown: Shown): DecidedCalls {
  const runs = new Map<string, AgentRun>();

  const runOf = (key: string): AgentRun => {
    const known = runs.get(key) ?? { decided: new Map<string, ToolCall>(), hasBegun: false };
    runs.set(key, known);
    return known;
  };

  function toEnd(
    path: readonly string[],
    call: ToolCall | undefined,
    result: ToolResult,
  ): ClientDecidedCallEnd | undefined {
    if (call === undefined) return undefined;
    // Every second one is the name of an agent.
    const ids = path.filter((_, index) => index % 2 === 1);
    return {
      type: 'decided-call-end',
      path: ids,
      ...toClientCall(call, shown),
      ...toClientCallResult(call.id, result, shown),
    };
  }

  return (path, event) => {
    const key = JSON.stringify(path);
    switch (event.type) {
      case 'turn-start':
        runOf(key).hasBegun = true;
        return undefined;
      case 'approval-request': {
        const agent = runOf(key);
        if (!agent.hasBegun) agent.decided.set(event.call.id, event.call);
        return undefined;
      }
      case 'tool-start': {
        // What was allowed in a run before that one is not asked about again.
        const agent = runOf(key);
        if (!agent.hasBegun && event.wasDecided === true) agent.decided.set(event.call.id, event.call);
        return undefined;
      }
      case 'tool-end': {
        const { call, result } = event;
        const agent = runOf(key);
        // What was denied in a run before that one is not asked about again.
        if (!agent.hasBegun && result.outcome === 'denied') agent.decided.set(call.id, call);
        return toEnd(path, agent.decided.get(call.id), result);
      }
      case 'tool-complete':
        return toEnd(path, runs.get(key)?.decided.get(event.callId), event.result);
      case 'run-end':
        runs.delete(key);
        return undefined;
      default:
        return undefined;
    }
  };
}
