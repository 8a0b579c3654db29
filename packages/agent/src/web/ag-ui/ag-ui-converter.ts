import type { Usage } from '@kernel/protocol';
import { flatCallId, toApprovalId } from '../approval/approval-id.ts';
import type { ClientEvent, ClientPendingCall, ClientRunEnd } from '../client-view/client-event-types.ts';
import { createAgentConverter } from './agent-converter.ts';
import type { AgUiAgentEvent, AgUiEvent, AgUiInterrupt, AgUiRunFinished, AgUiUsage } from './ag-ui-event.ts';

export interface AgUiIds {
  readonly threadId: string;
  readonly runId: string;
}

/** Returns the AG-UI events for an event. For the events of one run, in order. */
export function createAgUiConverter(ids: AgUiIds): (event: ClientEvent) => readonly AgUiEvent[] {
  const main = createAgentConverter({ messagePrefix: `${ids.runId}:`, path: [] });
  const active = new Map<string, ReturnType<typeof createAgentConverter> & { readonly id: string }>();
  const announced = new Set<string>();
  let showsAgents = false;
  let hasStarted = false;
  let begun = 0;

  function convertInner(path: readonly string[], event: ClientEvent): readonly AgUiEvent[] {
    showsAgents = true;
    const key = JSON.stringify(path);
    const events: AgUiEvent[] = [];
    let agent = active.get(key);
    if (agent === undefined) {
      begun += 1;
      // An agent is named by its path and the number of its beginning: a call may run it again.
      const id = `${ids.runId}:agent-${begun}`;
      agent = {
        id,
        ...createAgentConverter({ messagePrefix: `${id}:`, path: path.filter((_, index) => index % 2 === 1) }),
      };
      active.set(key, agent);
      const parent = active.get(JSON.stringify(path.slice(0, -2)))?.id;
      const name = path.at(-2) ?? 'agent';
      events.push({
        type: 'SUBAGENT_STARTED',
        subagentRunId: id,
        name,
        ...(parent === undefined ? {} : { parentSubagentRunId: parent }),
      });
    }
    const { id } = agent;
    if (event.type !== 'run-end') return [...events, ...attribute(agent.convert(event), id)];
    active.delete(key);
    const waiting = (event.pending ?? []).map((call) => flatCallId(call.path, call.callId));
    for (const toolCallId of waiting) if (agent.isAnnounced(toolCallId)) announced.add(toolCallId);
    return [...events, ...attribute(agent.close(), id), endOfAgent(event, id)];
  }

  function close(): readonly AgUiEvent[] {
    const events = [...active.values()].flatMap((agent): readonly AgUiEvent[] => [
      ...attribute(agent.close(), agent.id),
      { type: 'SUBAGENT_ERROR', subagentRunId: agent.id, message: 'The agent was stopped.' },
    ]);
    active.clear();
    return [...events, ...main.close()];
  }

  function endRun(end: ClientRunEnd): readonly AgUiEvent[] {
    const { reason, answer, output, pending = [], error } = end;
    const used = end.usage && { usage: [toUsage(end.usage)] };
    const waiting = pending.flatMap((call) => {
      const callId = flatCallId(call.path, call.callId);
      return announced.has(callId) ? [] : main.convert({ ...call, type: 'tool-start', callId });
    });
    const events = [...waiting, ...close()];
    if (error !== undefined) return [...events, { type: 'RUN_ERROR', ...error, ...used }];
    const result = {
      reason,
      ...(answer === undefined ? {} : { answer }),
      ...(output === undefined ? {} : { output }),
    };
    return [...events, { type: 'RUN_FINISHED', ...ids, result, outcome: outcomeOf(reason, pending), ...used }];
  }

  function toEvents(event: ClientEvent): readonly AgUiEvent[] {
    if (event.type === 'sub-agent-event') return convertInner(event.path, event.event);
    if (event.type === 'decided-call-end' && showsAgents) return [];
    if (event.type === 'run-end') return endRun(event);
    if (event.type === 'error') return [...close(), { type: 'RUN_ERROR', code: event.code, message: event.message }];
    return main.convert(event);
  }

  return (event) => {
    const events = toEvents(event);
    if (hasStarted) return events;
    hasStarted = true;
    return [{ type: 'RUN_STARTED', ...ids }, ...events];
  };
}

function endOfAgent({ reason, error }: ClientRunEnd, subagentRunId: string): AgUiEvent {
  if (error !== undefined) return { type: 'SUBAGENT_ERROR', subagentRunId, ...error };
  return {
    type: 'SUBAGENT_FINISHED',
    subagentRunId,
    outcome: { type: reason === 'approval' ? 'suspended' : 'success' },
  };
}

function outcomeOf(reason: ClientRunEnd['reason'], pending: readonly ClientPendingCall[]): AgUiRunFinished['outcome'] {
  if (reason === 'approval') return { type: 'interrupt', interrupts: pending.map(toInterrupt) };
  return { type: reason === 'aborted' ? 'cancelled' : 'success' };
}

function attribute(events: readonly AgUiAgentEvent[], subagentRunId: string): readonly AgUiAgentEvent[] {
  return events.map((event) => ({ ...event, subagentRunId }));
}

function toInterrupt(call: ClientPendingCall): AgUiInterrupt {
  return {
    id: toApprovalId(call),
    reason: 'approval',
    message: `Allow "${call.name}" to run?`,
    toolCallId: flatCallId(call.path, call.callId),
    responseSchema: {
      type: 'object',
      properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
      required: ['approved'],
    },
  };
}

function toUsage(usage: Usage): AgUiUsage {
  const { inputTokens, outputTokens, reasoningTokens, cachedInputTokens, cacheWriteTokens } = usage;
  return {
    inputTokens,
    outputTokens,
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteInputTokens: cacheWriteTokens }),
  };
}
