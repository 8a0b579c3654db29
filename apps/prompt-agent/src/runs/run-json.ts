import type { RecordedRun, WaitingCall } from '@kernel/durable';

/** What `--json` says of a run. Times are in ISO 8601. */
export function runJson({ id, agent, version, status, crashes, createdAt, updatedAt }: RecordedRun): object {
  return {
    id,
    agent,
    agentVersion: version,
    status,
    crashes,
    created: createdAt.toISOString(),
    changed: updatedAt.toISOString(),
  };
}

/** What `--json` says of the end of a run: all but its history, which the events have. */
export function resultJson({ result }: RecordedRun): object {
  if (result === undefined) return {};
  const { messages: _messages, ...rest } = result;
  return { result: rest };
}

/** What `--json` says of a call that waits. */
export function waitingJson({ callId, kind, call, since, deadlineAt }: WaitingCall): object {
  return {
    call: callId,
    kind,
    name: call.name,
    arguments: call.arguments,
    since: since.toISOString(),
    ...(deadlineAt === undefined ? {} : { deadline: deadlineAt.toISOString() }),
  };
}
