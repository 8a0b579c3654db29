import { isObject } from '@kernel/internal';
import { type Decision, KernelError, type Message, type RecordedRun } from '@kernel/protocol';

/** The error for a run that does not exist. */
export function noSuchRun(id: string): KernelError {
  return new KernelError('CONFIG_INVALID', `There is no run ${JSON.stringify(id)} in Restate.`, {
    hint: 'list() returns the ids of all runs of the agent.',
  });
}

/** The error for a run that cannot be retried. */
export function cannotRetry({ id, status }: RecordedRun): KernelError {
  const reason = status === 'failed' ? 'it was retried already, or failed too long ago' : `it is ${status}`;
  return new KernelError('CONFIG_INVALID', `The run ${JSON.stringify(id)} cannot be retried: ${reason}.`, {
    hint: 'Only a run that failed or is blocked can be retried; a failed one within retryWindowMs.',
  });
}

const MAX_ID = 400;

/** Throws `CONFIG_INVALID` for invalid arguments of `start`. */
export function checkStart(
  id: string,
  messages: readonly Message[],
  dates: Readonly<Record<string, Date | undefined>>,
): void {
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID)
    refuseStart(`with an id that is not a string of 1 to ${MAX_ID} characters`);
  if (!Array.isArray(messages)) refuseStart('without an array of messages');
  for (const [name, date] of Object.entries(dates))
    if (date !== undefined && Number.isNaN(date.getTime())) refuseStart(`with an invalid date as ${name}`);
}

function refuseStart(reason: string): never {
  throw new KernelError('CONFIG_INVALID', `start() was called ${reason}.`, {
    hint: 'start("ticket-42", { messages: [{ role: "user", content: "…" }] })',
  });
}

/** Throws `CONFIG_INVALID` for a malformed decision. */
export function checkDecision(decision: Decision): void {
  const given: unknown = decision;
  const kind = isObject(given) ? given['decision'] : undefined;
  const isValid =
    isObject(given) &&
    (kind === 'allow' ||
      (kind === 'deny' && typeof given['reason'] === 'string') ||
      (kind === 'edit' && typeof given['arguments'] === 'string'));
  if (isValid) return;
  throw new KernelError('CONFIG_INVALID', 'decide() was called without a valid decision.', {
    hint: 'Pass { decision: "allow" }, { decision: "deny", reason: "…" } or { decision: "edit", arguments: "{…}" }.',
  });
}
