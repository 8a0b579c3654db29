import { checkChoice, KernelError } from '@kernel/protocol';

/**
 * What a client sees only if the server lists it: the arguments of calls, what tools return, their progress reports, the model's reasoning, token
 * counts, the events of agents that run as tools, and the messages of errors.
 */
export type ClientField = 'arguments' | 'results' | 'progress' | 'reasoning' | 'usage' | 'sub-agents' | 'errors';

const FIELDS: readonly ClientField[] = [
  'arguments',
  'results',
  'progress',
  'reasoning',
  'usage',
  'sub-agents',
  'errors',
];

/** Returns the fields that a server shows. Throws `CONFIG_INVALID` for what is not a list of them. */
export function shownFields(owner: string, show: readonly ClientField[] | undefined): ReadonlySet<ClientField> {
  if (show === undefined) return new Set();
  if (!Array.isArray(show))
    throw new KernelError('CONFIG_INVALID', `${owner}: show is not a list.`, { hint: `Use ${FIELDS.join(', ')}.` });
  for (const field of show) checkChoice(owner, 'show', field, FIELDS);
  return new Set(show);
}
