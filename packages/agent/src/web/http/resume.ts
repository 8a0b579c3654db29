import { isObject } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { readMessage } from '../../history/read-message.ts';
import type { MessageEntry, Session } from '../../session/session.ts';
import type { ClientEvent } from '../client-view/client-event-types.ts';
import { type Shown, toClientMessage } from '../client-view/client-values.ts';

/** Where a client left off. */
export interface ResumePoint {
  /** The session of the conversation. Check that the client may read it. */
  readonly session: Session;
  /** The `Last-Event-ID` that the client sent. Anything that is not an event id is ignored. */
  readonly lastEventId: string | null | undefined;
}

/** Returns where the client of a request left off, from its header `Last-Event-ID`. */
export function resumeFrom(request: Request, session: Session): ResumePoint {
  return { session, lastEventId: request.headers.get('last-event-id') };
}

/** Throws `CONFIG_INVALID` for what is not a point to resume from. */
export function checkResumePoint(owner: string, resume: ResumePoint): void {
  if (!isObject(resume) || typeof resume.session?.entries !== 'function')
    throw new KernelError('CONFIG_INVALID', `${owner}: resume has no session.`, {
      hint: 'Pass resumeFrom(request, session).',
    });
}

/** An event, and how many messages of the session precede what it belongs to. */
export interface ReplayedEvent {
  readonly event: ClientEvent;
  readonly position: number;
}

/**
 * Returns what the log of a session has beyond the point where the client left off, whole: deltas that were lost are contained in their message.
 * Nothing without a valid id. A result has the text that the model reads; its data and its text for the user are in no log.
 */
export async function replay({ session, lastEventId }: ResumePoint, shown: Shown): Promise<readonly ReplayedEvent[]> {
  const from = toPosition(lastEventId);
  if (from === undefined) return [];
  const entries = await session.entries();
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry] : []));
  if (from > messages.length) return [];
  const replayed: ReplayedEvent[] = [{ event: { type: 'resume', from }, position: from }];
  for (const [index, entry] of messages.slice(from).entries()) {
    const event = toEvent(entry, shown);
    if (event !== undefined) replayed.push({ event, position: from + index + 1 });
  }
  return replayed;
}

function toEvent(entry: MessageEntry, shown: Shown): ClientEvent | undefined {
  const read = readMessage(entry.message);
  if (read !== undefined && entry.isCorrection === true) return { type: 'output-rejected' };
  const message = read && toClientMessage(read, shown, entry);
  return message && { type: 'message', message };
}

function toPosition(id: string | null | undefined): number | undefined {
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}
