import { untilAborted } from '@kernel/internal';
import type { Conversation, Tool, TurnContext } from '@kernel/protocol';
import type { Capabilities } from '../capabilities.ts';
import { withTimeout } from '../with-timeout.ts';
import type { Conditions, ConditionResults } from './conditions.ts';
import { type Entry, type EntryStore, isConditional } from './entries.ts';
import type { MountedToolset } from './mount.ts';
import type { ToolRegistry } from './types.ts';

export type Availability = Required<Pick<ToolRegistry, 'listFor' | 'available' | 'unavailable'>>;

/** How long one mounted toolset can delay a turn. */
const TURN_TIMEOUT_MS = 10_000;

export function createAvailability(
  store: EntryStore,
  capabilities: () => Capabilities,
  mounted: ReadonlySet<MountedToolset>,
  conditions: Conditions,
): Availability {
  /** Made with the first turn that has something to wait for. */
  let beginning: Set<TurnContext> | undefined;
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

  const checkCapabilities = async (): Promise<void> => {
    const requirements = watchedEntries().flatMap((entry) => {
      const requires = entry.binding.tool.metadata?.requires ?? [];
      if (requires.length === 0) return [];
      return [
        capabilities()
          .missing(requires)
          .then((missing) => applyMissing(entry, missing)),
      ];
    });
    if (requirements.length > 0 && (await Promise.all(requirements)).includes(true)) store.bumpVersion();
  };
  const evaluateConditions = async (turn: TurnContext): Promise<ConditionResults | undefined> => {
    const bindings = watchedEntries().map((entry) => entry.binding);
    const whens = bindings.flatMap((binding) => (isConditional(binding) ? (binding.when ?? []) : []));
    if (whens.length === 0) return undefined;
    const results = await conditions.evaluate(turn, whens);
    store.setConditionResults(results);
    return results;
  };

  const evaluate = async (turn: TurnContext): Promise<ConditionResults | undefined> => {
    await Promise.all([...mounted].map((each) => beginMountedTurn(each, turn)));
    const [results] = await Promise.all([evaluateConditions(turn), checkCapabilities()]);
    return results;
  };
  const begin = async (turn: TurnContext): Promise<readonly Tool[]> => {
    beginning ??= new Set();
    beginning.add(turn);
    try {
      const results = await untilAborted(evaluate(turn), turn.signal).catch(ignore);
      return results === undefined ? store.list() : store.listFor(results);
    } finally {
      beginning?.delete(turn);
    }
  };

  return {
    listFor(turn) {
      if (beginning?.has(turn) === true) return store.list(); // a mounted toolset leads back here
      if (isNewTurn(turn)) expirePromotions();
      // Most registries have nothing that a turn can change, and wait for nothing.
      return mounted.size === 0 && watchedEntries().length === 0 ? store.list() : begin(turn);
    },
    async available() {
      await checkCapabilities();
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
    if (collectedAt === store.version()) return watched;
    watched = [...store.entries.values()].filter((entry) => canChange(entry));
    collectedAt = store.version();
    return watched;
  };
}

function canChange({ binding: { tool, when }, promotion }: Entry): boolean {
  return promotion !== undefined || when !== undefined || (tool.metadata?.requires ?? []).length > 0;
}

/** A mounted toolset that fails or takes too long keeps its tools; calling them shows what is wrong. */
async function beginMountedTurn({ toolset, sync }: MountedToolset, turn: TurnContext): Promise<void> {
  const offered = async (): Promise<readonly Tool[] | undefined> => toolset.listFor?.(turn);
  sync(turn, await withTimeout(offered(), TURN_TIMEOUT_MS, undefined));
}

/** Applies what was found missing, and returns whether that changed what can be called. */
function applyMissing(entry: Entry, missing: readonly string[]): boolean {
  const wasMissing = entry.missing.length > 0;
  entry.missing = missing;
  return wasMissing !== missing.length > 0;
}

function ignore(): undefined {
  return undefined;
}
