import { checkChoice, describeType, KernelError } from '@kernel/protocol';

/**
 * What a client sees only if the server lists it: the arguments of calls, what tools return, their progress reports, the sources of texts, the model's
 * reasoning, token counts, the events of sub-agents, and the messages of errors.
 */
export type ClientField =
  | 'arguments'
  | 'results'
  | 'progress'
  | 'citations'
  | 'reasoning'
  | 'usage'
  | 'sub-agents'
  | 'errors';

const FIELDS: readonly ClientField[] = [
  'arguments',
  'results',
  'progress',
  'citations',
  'reasoning',
  'usage',
  'sub-agents',
  'errors',
];

/** Returns the fields that a server shows. Throws `CONFIG_INVALID` for anything other than an array of them. */
export function shownFields(owner: string, show: readonly ClientField[] | undefined): ReadonlySet<ClientField> {
  if (show === undefined) return new Set();
  if (!Array.isArray(show))
    throw new KernelError('CONFIG_INVALID', `${owner}: show is ${describeType(show)}, not an array.`, {
      hint: `Pass an array of ${FIELDS.join(', ')}.`,
    });
  for (const field of show) checkChoice(owner, 'show', field, FIELDS);
  return new Set(show);
}
