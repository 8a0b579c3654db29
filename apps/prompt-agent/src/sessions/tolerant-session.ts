import type { SessionEntry } from '@kernel/agent';
import { isRepeatable, KernelError } from '@kernel/protocol';
import { oneLine } from '../output/escape.ts';
import type { OpenSession } from './open-session.ts';

/**
 * Wraps a session so that a store that fails, as on a full disk, does not end the run: it is a note, once, and nothing more is written. Only a call
 * that may change something does not run if it cannot be logged: whoever continued the session would not know of it and run it again. A session that
 * another process has taken over is not written by two, so that ends the run.
 */
export function tolerateFailures(session: OpenSession, note: (line: string) => void): OpenSession {
  let hasEntries = false;
  let failure: KernelError | undefined;
  const fail = (error: unknown): void => {
    if (!KernelError.is(error, 'STORE_FAILED')) throw error;
    if (failure === undefined)
      note(`note: ${oneLine(error.message, 400)} The run goes on, and the rest of it is not kept. ${error.hint ?? ''}`);
    failure = error;
  };
  return {
    id: session.id,
    async entries() {
      const entries = await session.entries();
      hasEntries ||= entries.length > 0;
      return entries;
    },
    usage: () => session.usage(),
    async append(entries) {
      if (failure === undefined) {
        try {
          await session.append(entries);
          hasEntries = true;
          return;
        } catch (error) {
          fail(error);
        }
      }
      if (hasEntries && failure !== undefined && entries.some(mayChangeSomething)) throw notLogged(failure);
    },
    /** Unlike that of the session, it never throws. */
    write(event) {
      if (failure !== undefined) return;
      try {
        session.write(event);
      } catch (error) {
        if (KernelError.is(error, 'STORE_FAILED')) fail(error);
      }
    },
    async replace(entries) {
      if (failure !== undefined) return;
      await session.replace(entries).catch(fail);
    },
    async close() {
      await session.close().catch(() => {});
    },
  };
}

function mayChangeSomething(entry: SessionEntry): boolean {
  return entry.type === 'call-start' && !isRepeatable(entry.effect);
}

function notLogged(failure: KernelError): KernelError {
  return new KernelError(
    'STORE_FAILED',
    `A call that may change something could not be logged in the session, so it did not run. ${failure.message}`,
    {
      hint: `${failure.hint ?? ''} With --no-session nothing is kept, and nothing needs to be logged.`.trim(),
      cause: failure,
    },
  );
}
