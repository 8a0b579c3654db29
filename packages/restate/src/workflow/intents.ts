import { KernelError } from '@kernel/protocol';

/** The most intents that are remembered. Of a forgotten one, it is unknown whether its handler was entered. */
const MAX_INTENTS = 10_000;

interface Intent {
  owner: string;
  isEntered: boolean;
}

/**
 * The intents that attempts of this process recorded, by attempt and command, oldest first. Restate may suspend an attempt between the intent of a call
 * and its handler, and continue it with another attempt, usually in the same process, which then knows that the call can still run.
 */
const intents = new Map<string, Intent>();

export function createAttemptIntents(attemptId: string) {
  const own = new Map<string, { readonly key: string; readonly intent: Intent }>();
  return {
    /** Remembers that this attempt records an intent under this name. Returns the attempt's id, which is what is recorded. */
    record(name: string): string {
      const key = `${attemptId} ${name}`;
      const intent = { owner: attemptId, isEntered: false };
      own.set(name, { key, intent });
      intents.set(key, intent);
      const [oldest] = intents.keys();
      if (intents.size > MAX_INTENTS && oldest !== undefined) intents.delete(oldest);
      return attemptId;
    },
    /**
     * Whether a call can run whose intent `recordedBy` recorded: this attempt, or an earlier one of this process that did not enter its handler
     * and, from now on, cannot.
     */
    takeOver(name: string, recordedBy: string): boolean {
      if (recordedBy === attemptId) return true;
      const key = `${recordedBy} ${name}`;
      const intent = intents.get(key);
      if (intent === undefined || intent.isEntered) return false;
      intent.owner = attemptId;
      own.set(name, { key, intent });
      return true;
    },
    /** Marks the handler of a call as entered. Throws `TOOL_CANCELLED` if another attempt has taken over. A call without an intent may always be entered. */
    enter(name: string): void {
      const intent = own.get(name)?.intent;
      if (intent === undefined) return;
      if (intent.owner !== attemptId) throw new KernelError('TOOL_CANCELLED', 'The attempt at the run is over.');
      intent.isEntered = true;
    },
    forget(names: Iterable<string>): void {
      for (const name of names) {
        const known = own.get(name);
        if (known === undefined) continue;
        own.delete(name);
        intents.delete(known.key);
      }
    },
  };
}
