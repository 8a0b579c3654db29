import { isObject } from '@kernel/internal';
import { type Decision, KernelError, type Message } from '@kernel/protocol';

/** The error of a verb for a run that there is not. */
export function noSuchRun(id: string): KernelError {
  return new KernelError('CONFIG_INVALID', `There is no run ${JSON.stringify(id)} in Restate.`, {
    hint: 'list() has the ids of all runs of the agent.',
  });
}

const MAX_ID = 400;

/** Throws `CONFIG_INVALID` for what cannot be started. */
export function checkStart(
  id: string,
  messages: readonly Message[],
  dates: Readonly<Record<string, Date | undefined>>,
): void {
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID)
    refuseStart(`without an id of 1 to ${MAX_ID} characters`);
  if (!Array.isArray(messages)) refuseStart('without an array of messages');
  for (const [name, date] of Object.entries(dates))
    if (date !== undefined && Number.isNaN(date.getTime())) refuseStart(`with an invalid date as ${name}`);
}

function refuseStart(reason: string): never {
  throw new KernelError('CONFIG_INVALID', `start() was called ${reason}.`, {
    hint: 'start("ticket-42", { messages: [{ role: "user", content: "…" }] })',
  });
}

/** Throws `CONFIG_INVALID` for a decision that no run could use. */
export function checkDecision(decision: Decision): void {
  const given: unknown = decision;
  const kind = isObject(given) ? given['decision'] : undefined;
  const isWhole =
    isObject(given) &&
    (kind === 'allow' ||
      (kind === 'deny' && typeof given['reason'] === 'string') ||
      (kind === 'edit' && typeof given['arguments'] === 'string'));
  if (isWhole) return;
  throw new KernelError('CONFIG_INVALID', 'decide() was called with something that is not a decision.', {
    hint: 'Pass { decision: "allow" }, { decision: "deny", reason: "…" } or { decision: "edit", arguments: "{…}" }.',
  });
}
