import { untilAborted } from '@kernel/internal';
import type { Conversation, Toolset, TurnContext } from '@kernel/protocol';
import type { Capabilities } from '../capabilities.ts';
import type { ToolCondition } from '../tool/binding.ts';
import { asDeclared } from '../unsafe-casts.ts';
import { withTimeout } from '../with-timeout.ts';
import { type Entry, type EntryStore, isUsable } from './entries.ts';
import type { MountedToolset } from './mount.ts';
import type { ToolRegistry } from './types.ts';

/** The members of a registry that decide what is available in a turn. */
export type Availability = Pick<ToolRegistry, 'beginTurn' | 'available' | 'unavailable'>;

/** How long one condition or mounted toolset can delay a turn. */
const TURN_TIMEOUT_MS = 10_000;

/** Creates the availability of a registry. */
export function createAvailability(
  store: EntryStore,
  capabilities: () => Capabilities,
  mounted: ReadonlySet<MountedToolset>,
): Availability {
  const beginning = new Set<TurnContext>();
  const isNewTurn = createTurnCounter();
  const watchedEntries = createWatchedEntries(store);

  const expirePromotions = (): void => {
    const expired: string[] = [];
    for (const entry of watchedEntries()) {
      if (entry.promotion === undefined) continue;
      if (entry.promotion.turnsLeft > 0) {
        entry.promotion.turnsLeft -= 1;
        continue;
      }
      entry.promotion = undefined;
      expired.push(entry.binding.tool.name);
    }
    for (const name of expired) store.changed('expired', name);
  };

  /** Evaluates conditions, if there is a turn, and checks capabilities. */
  const check = async (turn: TurnContext | undefined): Promise<void> => {
    const entries = watchedEntries();
    const conditions = entries.flatMap((entry) => {
      const { when, tool } = entry.binding;
      if (turn === undefined || when === undefined || tool.metadata?.optionality !== 'conditional') return [];
      // A tool that replaced this one in the meantime has a condition of its own.
      const isCurrent = (): boolean => entry.binding.when === when;
      return [conditionHolds(when, turn).then((condition) => ({ entry, finding: isCurrent() ? { condition } : {} }))];
    });
    const requirements = entries.flatMap((entry) => {
      const requires = entry.binding.tool.metadata?.requires ?? [];
      if (requires.length === 0) return [];
      return [
        capabilities()
          .missing(requires)
          .then((missing) => ({ entry, finding: { missing } })),
      ];
    });
    if (conditions.length === 0 && requirements.length === 0) return;
    const findings = await Promise.all([...conditions, ...requirements]);
    const changed = findings.filter(({ entry, finding }) => applyFinding(entry, finding));
    if (changed.length > 0) store.bumpVersion();
  };

  const begin = async (turn: TurnContext): Promise<void> => {
    await Promise.all([...mounted].map(({ toolset }) => beginMountedTurn(toolset, turn)));
    for (const { sync } of mounted) sync();
    await check(turn);
  };

  return {
    async beginTurn(turn) {
      if (beginning.has(turn)) return; // a mounted toolset leads back here
      beginning.add(turn);
      try {
        if (isNewTurn(turn)) expirePromotions();
        // Most registries have nothing that a turn can change, and wait for nothing.
        if (mounted.size === 0 && watchedEntries().length === 0) return;
        await untilAborted(begin(turn), turn.signal).catch(ignore);
      } finally {
        beginning.delete(turn);
      }
    },
    async available() {
      await check(undefined);
      return store.list();
    },
    unavailable() {
      const missing = new Map<string, readonly string[]>();
      for (const [name, entry] of store.entries) if (entry.missing.length > 0) missing.set(name, entry.missing);
      return missing;
    },
  };
}

/** Returns a test for a turn that was not counted yet: several views may each begin the same turn under the same signal. */
function createTurnCounter(): (turn: TurnContext) => boolean {
  const counted = new WeakMap<AbortSignal, Omit<TurnContext, 'signal'>>();
  return ({ conversation, signal, turn }) => {
    const last = counted.get(signal);
    if (last?.turn === turn && isSameConversation(last.conversation, conversation)) return false;
    counted.set(signal, { turn, conversation });
    return true;
  };
}

function isSameConversation(a: Conversation | undefined, b: Conversation | undefined): boolean {
  return a === b || (a?.channel === b?.channel && a?.chatId === b?.chatId);
}

/** Returns the entries that a turn can change, collected again after each change of the registry. */
function createWatchedEntries(store: EntryStore): () => readonly Entry[] {
  let watched: readonly Entry[] = [];
  let collectedAt = -1;
  return () => {
    if (collectedAt === store.version) return watched;
    watched = [...store.entries.values()].filter((entry) => canChange(entry));
    collectedAt = store.version;
    return watched;
  };
}

function canChange({ binding: { tool, when }, promotion }: Entry): boolean {
  return promotion !== undefined || when !== undefined || (tool.metadata?.requires ?? []).length > 0;
}

/** A mounted toolset that fails or takes too long keeps its tools; calling them shows what is wrong. */
async function beginMountedTurn(toolset: Toolset, turn: TurnContext): Promise<void> {
  const begun = async (): Promise<void> => toolset.beginTurn?.(turn);
  await withTimeout(begun(), TURN_TIMEOUT_MS, undefined);
}

/** A condition that throws or takes too long does not hold. */
function conditionHolds(when: ToolCondition<never>, turn: TurnContext): Promise<boolean> {
  const evaluated = async (): Promise<boolean> => when(asDeclared(turn));
  return withTimeout(evaluated(), TURN_TIMEOUT_MS, false);
}

/** What was found out about one tool. */
type Finding = Partial<Pick<Entry, 'condition' | 'missing'>>;

/** Applies a finding and returns whether it changed what can be called. */
function applyFinding(entry: Entry, finding: Finding): boolean {
  const before = isUsable(entry);
  Object.assign(entry, finding);
  return isUsable(entry) !== before;
}

function ignore(): void {}
