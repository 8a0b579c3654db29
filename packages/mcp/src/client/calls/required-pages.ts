import { isObject } from '@kernel/internal';
import type { Connection } from '../connection/open-connection.ts';

/** What a server of 2025-11-25 answers to a call that has to wait until the user was at a page. */
const URL_ELICITATION_REQUIRED = -32_042;

/**
 * Shows the user the pages that a server has refused a call for. Resolves to true if the user has agreed to all of them: then the call may be made
 * again, for it did not run.
 */
export async function showRequiredPages(error: unknown, connection: Connection, signal: AbortSignal): Promise<boolean> {
  if (!isObject(error) || error['code'] !== URL_ELICITATION_REQUIRED || !isObject(error['data'])) return false;
  const { elicitations } = error['data'];
  if (!Array.isArray(elicitations) || elicitations.length === 0) return false;
  for (const page of elicitations as readonly unknown[]) {
    const request = { method: 'elicitation/create', params: { ...(isObject(page) ? page : {}), mode: 'url' } };
    // oxlint-disable-next-line no-await-in-loop -- a person is asked one after the other
    const answer = await connection.answer(request, signal);
    if (!isObject(answer) || answer['action'] !== 'accept') return false;
  }
  return true;
}
