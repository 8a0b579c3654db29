import type { Conversation, Tool, Toolset, TurnContext } from '@kernel/protocol';
import type { Capabilities } from '../capabilities.ts';
import { onAbort } from '../call/abort.ts';
import { within } from '../with-timeout.ts';
import type { Followed } from './mount.ts';
import { type Entry, type Store, isUsable } from './entries.ts';

/** What happens between turns. */
export interface Turns {
  /**
   * Counts life times down (once for a turn, however many views begin it), asks the conditions and checks capabilities. The list changes only if something did.
   * Never rejects; an abort ends the wait.
   */
  beginTurn(turn: TurnContext): Promise<void>;
  /** The offered tools whose capabilities are all there, checked now. */
  available(): Promise<readonly Tool[]>;
  /** The tools with a missing capability as last checked, and the missing names. */
  unavailable(): ReadonlyMap<string, readonly string[]>;
}

/** How long one condition or mounted toolset may hold a turn. */
const TURN_MS = 10_000;

/** Creates the turns over a store. */
export function createTurns(store: Store, capabilities: () => Capabilities, mounted: ReadonlySet<Followed>): Turns {
  const beginning = new Set<TurnContext>();
  /** The turn that was last counted under a signal: several views may each begin the same one. */
  const counted = new WeakMap<AbortSignal, Omit<TurnContext, 'signal'>>();
  const isNew = ({ conversation, signal, turn }: TurnContext): boolean => {
    const last = counted.get(signal);
    if (last?.turn === turn && isSameConversation(last.conversation, conversation)) return false;
    counted.set(signal, { turn, conversation });
    return true;
  };

  /** The entries that a turn may change, gathered again after a change of the registry. */
  let watched: readonly Entry[] = [];
  let gatheredAt = -1;
  const watchedEntries = (): readonly Entry[] => {
    if (gatheredAt === store.version) return watched;
    watched = [...store.entries.values()].filter(mayChange);
    gatheredAt = store.version;
    return watched;
  };

  const expire = (): void => {
    const expired: string[] = [];
    for (const entry of watchedEntries()) {
      if (entry.promotion === undefined) continue;
      if (entry.promotion.left > 0) {
        entry.promotion.left -= 1;
        continue;
      }
      entry.promotion = undefined;
      expired.push(entry.binding.tool.name);
    }
    for (const name of expired) store.changed('expired', name);
  };

  const noteAll = (findings: readonly { readonly entry: Entry; readonly finding: Finding }[]): void => {
    const changed = findings.filter(({ entry, finding }) => note(entry, finding));
    if (changed.length > 0) store.touch();
  };

  const check = async (turn: TurnContext | undefined): Promise<void> => {
    const entries = watchedEntries();
    const conditions = entries.flatMap((entry) => {
      const { when, tool } = entry.binding;
      if (turn === undefined || when === undefined || tool.metadata?.optionality !== 'conditional') return [];
      // A tool that was put in its place meanwhile has a condition of its own.
      const isStill = (): boolean => entry.binding.when === when;
      return [holds(when, turn).then((condition) => ({ entry, finding: isStill() ? { condition } : {} }))];
    });
    const needs = entries.flatMap((entry) => {
      const requires = entry.binding.tool.metadata?.requires ?? [];
      if (requires.length === 0) return [];
      return [
        capabilities()
          .missing(requires)
          .then((missing) => ({ entry, finding: { missing } })),
      ];
    });
    if (conditions.length === 0 && needs.length === 0) return;
    noteAll(await Promise.all([...conditions, ...needs]));
  };

  const begin = async (turn: TurnContext): Promise<void> => {
    await Promise.all([...mounted].map(({ toolset }) => beginThere(toolset, turn)));
    for (const followed of mounted) followed.sync();
    await check(turn);
  };

  return {
    async beginTurn(turn) {
      if (beginning.has(turn)) return; // a mounted toolset leads back here
      beginning.add(turn);
      try {
        if (isNew(turn)) expire();
        // Most registries have nothing that a turn could change: they wait for nothing.
        if (mounted.size > 0 || watchedEntries().length > 0) await orAborted(begin(turn), turn.signal);
      } finally {
        beginning.delete(turn);
      }
    },
    async available() {
      await check(undefined);
      return store.list();
    },
    unavailable() {
      const found = new Map<string, readonly string[]>();
      for (const [name, entry] of store.entries) if (entry.missing.length > 0) found.set(name, entry.missing);
      return found;
    },
  };
}

function isSameConversation(a: Conversation | undefined, b: Conversation | undefined): boolean {
  return a === b || (a?.channel === b?.channel && a?.chatId === b?.chatId);
}

function mayChange({ binding: { tool, when }, promotion }: Entry): boolean {
  return promotion !== undefined || when !== undefined || (tool.metadata?.requires ?? []).length > 0;
}

/** A mounted toolset that fails to begin its turn in time is offered as it was; its calls say what is wrong. */
async function beginThere(toolset: Toolset, turn: TurnContext): Promise<void> {
  const begun = async (): Promise<void> => toolset.beginTurn?.(turn);
  await within(begun(), TURN_MS, undefined);
}

/** What a turn found out about one tool. */
type Finding = Partial<Pick<Entry, 'condition' | 'missing'>>;

/** Keeps a finding, and says whether what can be called or found changed by it. */
function note(entry: Entry, finding: Finding): boolean {
  const before = isUsable(entry);
  Object.assign(entry, finding);
  return isUsable(entry) !== before;
}

function holds(when: NonNullable<Entry['binding']['when']>, turn: TurnContext): Promise<boolean> {
  const asked = async (): Promise<boolean> => when(turn);
  return within(asked(), TURN_MS, false);
}

/** Waits for work that never rejects, or for the abort. */
async function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let unlisten: (() => void) | undefined;
  const aborted = new Promise<void>((resolve) => {
    unlisten = onAbort(signal, resolve);
  });
  await Promise.race([work, aborted]);
  unlisten?.();
}
