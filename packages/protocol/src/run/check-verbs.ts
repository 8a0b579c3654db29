import { isObject, errorMessage, sliceHead } from '@kernel/internal';
import { KernelError } from '../error.ts';
import { checkKeys, describeType, optionKeys } from '../option-keys.ts';
import { checkChoice } from '../option-values.ts';
import type { OutcomeResolution, PurgeOptions, RunSignals } from './recorded-run.ts';

type SteerOptions = NonNullable<Parameters<RunSignals['steer']>[2]>;

/** Ids of calls within agents stand one behind the other. */
const MAX_CALL_ID = 10_000;
const PURGE = optionKeys<PurgeOptions>({ ids: true, before: true });

/** Throws `CONFIG_INVALID` for an invalid run id: not a string, empty, too long, or with a lone surrogate, which a store would read back as another id. */
export function checkRunId(verb: string, id: unknown, maxLength: number): void {
  if (typeof id === 'string' && id !== '' && id.length <= maxLength && id.isWellFormed()) return;
  throw new KernelError(
    'CONFIG_INVALID',
    `${verb}() was called with an id that is not a text of 1 to ${maxLength} characters.`,
    { hint: 'Pass an id of your own, such as the number of a ticket: "ticket-42".' },
  );
}

/** Throws `CONFIG_INVALID` for an invalid call id. */
export function checkCallId(verb: string, callId: unknown): void {
  if (typeof callId === 'string' && callId !== '' && callId.length <= MAX_CALL_ID) return;
  throw new KernelError('CONFIG_INVALID', `${verb}() was called without the id of a call.`, {
    hint: 'waiting() lists the calls that wait, with their callId.',
  });
}

/** Throws `CONFIG_INVALID` for anything but an array of messages. Only their roles are checked. */
export function checkMessages(owner: string, messages: unknown): void {
  if (Array.isArray(messages) && messages.every((each) => isObject(each) && typeof each['role'] === 'string')) return;
  throw new KernelError('CONFIG_INVALID', `${owner} was called without an array of messages.`, {
    hint: 'Pass messages: [{ role: "user", content: "…" }].',
  });
}

/** Throws `CONFIG_INVALID` for a value that is neither undefined nor a string. */
export function checkText(owner: string, option: string, value: unknown): void {
  if (value === undefined || (typeof value === 'string' && value !== '')) return;
  const what = value === '' ? 'an empty one' : describeType(value);
  throw new KernelError('CONFIG_INVALID', `${owner}: ${option} must be a text, not ${what}.`);
}

/** Throws `CONFIG_INVALID` for anything but a string or a user message, and for an unknown `after`. */
export function checkSteer(message: unknown, options: SteerOptions): void {
  checkChoice('steer', 'after', options.after, ['call', 'answer']);
  if (typeof message === 'string') return;
  if (isObject(message)) {
    const { role, content } = message;
    if (role === 'user' && (typeof content === 'string' || Array.isArray(content))) return;
  }
  throw new KernelError('CONFIG_INVALID', 'steer() was called without a message of a user.', {
    hint: 'Pass a text, or { role: "user", content: "…" }.',
  });
}

/** Throws `CONFIG_INVALID` for an invalid decision. */
export function checkDecision(decision: unknown): void {
  if (isObject(decision)) {
    const { decision: kind, reason, arguments: edited, digest } = decision;
    if (kind === 'allow' && (digest === undefined || typeof digest === 'string')) return;
    if (kind === 'deny' && typeof reason === 'string') return;
    if (kind === 'edit' && typeof edited === 'string') return;
  }
  throw new KernelError('CONFIG_INVALID', 'decide() was called without a valid decision.', {
    hint: 'Pass { decision: "allow" }, { decision: "deny", reason: "…" } or { decision: "edit", arguments: "{…}" }.',
  });
}

/** Throws `CONFIG_INVALID` for an invalid resolution. */
export function checkOutcomeResolution(answer: OutcomeResolution): void {
  const given: unknown = answer;
  if (given === 'retry' || given === 'tell' || (isObject(given) && typeof given['text'] === 'string')) return;
  throw new KernelError('CONFIG_INVALID', 'resolveOutcome() was called without an answer.', {
    hint: 'Pass "retry", "tell" or { text: "…" }.',
  });
}

/** Returns the JSON text of an argument. Throws `CONFIG_INVALID` if that would lose something: a function, NaN, a cycle. */
export function toJsonText(owner: string, value: object): string {
  try {
    return JSON.stringify(value, (key, each: unknown) => {
      if (
        typeof each === 'function' ||
        typeof each === 'symbol' ||
        (typeof each === 'number' && !Number.isFinite(each))
      )
        throw new TypeError(
          `"${sliceHead(key, 60)}" is ${typeof each === 'number' ? String(each) : describeType(each)}`,
        );
      return each;
    });
  } catch (error) {
    const reason = errorMessage(error);
    throw new KernelError('CONFIG_INVALID', `${owner} was called with something that is not JSON: ${reason}`, {
      cause: error,
    });
  }
}

/** Throws `CONFIG_INVALID` for a value that is neither undefined nor a valid date. */
export function checkDate(owner: string, name: string, date: unknown): void {
  if (date === undefined || (date instanceof Date && !Number.isNaN(date.getTime()))) return;
  throw new KernelError('CONFIG_INVALID', `${owner} was called with an invalid date as ${name}.`);
}

/** Throws `CONFIG_INVALID` for options that do not say which runs to delete: a mistake must not delete all of them. */
export function checkPurge(options: PurgeOptions, maxIdLength: number): void {
  checkKeys('purge', options, PURGE);
  checkDate('purge()', 'before', options.before);
  const { ids }: { readonly ids?: unknown } = options;
  if (ids === undefined) return;
  if (!Array.isArray(ids)) throw new KernelError('CONFIG_INVALID', 'purge: ids must be an array of ids.');
  for (const id of ids) checkRunId('purge', id, maxIdLength);
}
