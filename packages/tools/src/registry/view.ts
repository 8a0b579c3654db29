import {
  type CallContext,
  checkKeys,
  invalidOption,
  optionKeys,
  type Tool,
  type ToolCall,
  type ToolEffect,
  type ToolOptionality,
  type Toolset,
  type TurnContext,
} from '@kernel/protocol';
import { failedResult, refusedResult } from '../call/result.ts';
import { unknownToolResult } from './name-errors.ts';
import { isSameList } from './offered-lists.ts';
import { invalidCall } from './options.ts';

/** Which tools a view shows: those that match every field. A list means "one of"; without `include` all names match, with `[]` none. */
export interface ViewFilter {
  /** Names to show. */
  readonly include?: Iterable<string> | undefined;
  /** Names to hide. */
  readonly exclude?: Iterable<string> | undefined;
  /** Categories to show. */
  readonly category?: string | readonly string[] | undefined;
  /** Optionalities to show. A tool without metadata counts as `optional`. */
  readonly optionality?: ToolOptionality | readonly ToolOptionality[] | undefined;
  /** Effects to show. A tool without an effect counts as `external`. */
  readonly effect?: ToolEffect | readonly ToolEffect[] | undefined;
  /** Shows tools that have at least one of these tags. */
  readonly tags?: string | readonly string[] | undefined;
  /** `false` shows the tools that are not on offer because a capability is missing; calling one says which. */
  readonly available?: boolean | undefined;
}

const FILTER_KEYS = optionKeys<ViewFilter>({
  include: true,
  exclude: true,
  category: true,
  optionality: true,
  effect: true,
  tags: true,
  available: true,
});

/** A read-only subset of a registry that follows its changes. A call to a tool outside it runs nothing. */
export interface ToolView extends Toolset {
  /** The names in list order. */
  names(): readonly string[];
  /** Whether `list()` has a tool of this name. */
  has(name: string): boolean;
  /** Calls `listener` after a change of the view's own list; returns a function that stops that. */
  subscribe(listener: () => void): () => void;
  /** The view's tools in a turn of the registry. Several views can begin the same one. */
  listFor(turn: TurnContext): readonly Tool[] | Promise<readonly Tool[]>;
}

export interface ViewSource extends Required<Toolset> {
  /** The tools on offer in the turn of a call. */
  offeredTo(context: CallContext): readonly Tool[];
  /** The tools that would be on offer if no capability were missing. */
  listLacking(): readonly Tool[];
}

/** Creates a view. Its list stays the same array until the shown tools change, whatever else changes in the registry. */
export function createView(source: ViewSource, filter: ViewFilter): ToolView {
  checkFilter(filter);
  const matches = createPredicate(filter);
  const showsLacking = filter.available === false;
  const shownOf = createSelection(matches);
  const list = (): readonly Tool[] => shownOf(showsLacking ? source.listLacking() : source.list()).tools;
  const has = (name: string): boolean => shownOf(showsLacking ? source.listLacking() : source.list()).names.has(name);
  const select = (offered: readonly Tool[]): readonly Tool[] => (showsLacking ? list() : shownOf(offered).tools);
  const names = (): readonly string[] => list().map((tool) => tool.name);
  const prepare = (call: ToolCall, context: CallContext): ReturnType<Toolset['prepare']> => {
    try {
      const error = invalidCall(call, context);
      if (error !== undefined) return refusedResult(error);
      const shown = shownOf(showsLacking ? source.listLacking() : source.offeredTo(context));
      return shown.names.has(call.name)
        ? source.prepare(call, context)
        : unknownToolResult(call.name, [...shown.names]);
    } catch (error) {
      return failedResult(error, 'call');
    }
  };

  return {
    list,
    names,
    has,
    prepare,
    subscribe(listener) {
      let last = list();
      return source.subscribe(() => {
        const current = list();
        if (current === last) return;
        last = current;
        listener();
      });
    },
    listFor(turn) {
      const offered = source.listFor(turn);
      return offered instanceof Promise ? offered.then(select) : select(offered);
    },
  };
}

interface Shown {
  readonly tools: readonly Tool[];
  readonly names: ReadonlySet<string>;
}

const MAX_SELECTIONS = 64;

/** Returns what selects tools of a list: the same frozen array again for the same tools, whatever list they are in. */
function createSelection(matches: (tool: Tool) => boolean): (all: readonly Tool[]) => Shown {
  const selected = new WeakMap<readonly Tool[], Shown>();
  const recent: Shown[] = [];
  return (all) => {
    const known = selected.get(all);
    if (known !== undefined) return known;
    const tools = all.filter((tool) => matches(tool));
    let shown = recent.find((each) => isSameList(each.tools, tools));
    if (shown === undefined) {
      shown = { tools: Object.freeze(tools), names: new Set(tools.map((tool) => tool.name)) };
      if (recent.unshift(shown) > MAX_SELECTIONS) recent.pop();
    }
    selected.set(all, shown);
    return shown;
  };
}

/** Throws `CONFIG_INVALID` for an unknown key, and for one name in place of a list: its characters would be the names. */
function checkFilter(filter: ViewFilter): void {
  checkKeys('view', filter, FILTER_KEYS);
  for (const option of ['include', 'exclude'] as const) {
    const names: unknown = filter[option];
    if (names === undefined || (typeof names === 'object' && names !== null && Symbol.iterator in names)) continue;
    throw invalidOption('view', option, 'an array of names', names);
  }
}

function createPredicate(filter: ViewFilter): (tool: Tool) => boolean {
  const include = filter.include === undefined ? undefined : new Set(filter.include);
  const exclude = new Set(filter.exclude ?? []);
  const categories = toSet(filter.category);
  const optionalities = toSet<string>(filter.optionality);
  const effects = toSet<string>(filter.effect);
  const tags = toSet(filter.tags);
  return ({ name, metadata, effect = 'external' }) =>
    (include === undefined || include.has(name)) &&
    !exclude.has(name) &&
    (categories === undefined || (metadata?.category !== undefined && categories.has(metadata.category))) &&
    (optionalities === undefined || optionalities.has(metadata?.optionality ?? 'optional')) &&
    (effects === undefined || effects.has(effect)) &&
    (tags === undefined || (metadata?.tags ?? []).some((tag) => tags.has(tag)));
}

function toSet<T extends string>(value: T | readonly T[] | undefined): ReadonlySet<T> | undefined {
  if (value === undefined) return undefined;
  return new Set(typeof value === 'string' ? [value] : value);
}
