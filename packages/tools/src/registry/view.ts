import type {
  CallContext,
  Tool,
  ToolCall,
  ToolEffect,
  ToolOptionality,
  ToolResult,
  Toolset,
  TurnContext,
} from '@kernel/protocol';
import { refusal } from '../call/result.ts';
import { callFault } from './options.ts';
import { unknownTool } from './names.ts';

/** Which tools a view shows: those that match every given field. A list means "one of"; `include` absent means all, `[]` none. */
export interface ViewFilter {
  readonly include?: Iterable<string> | undefined;
  readonly exclude?: Iterable<string> | undefined;
  readonly category?: string | readonly string[] | undefined;
  /** A tool without metadata counts as `optional`. */
  readonly optionality?: ToolOptionality | readonly ToolOptionality[] | undefined;
  /** A tool without an effect counts as `external`. */
  readonly effect?: ToolEffect | readonly ToolEffect[] | undefined;
  /** Tools that have at least one of these. */
  readonly tags?: string | readonly string[] | undefined;
  /** `false` shows the tools that are left out for a missing capability instead; calls to them say what is missing. */
  readonly available?: boolean | undefined;
}

/** A read-only part of a registry that follows its changes; a call to a tool outside it runs nothing. */
export interface ToolView extends Toolset {
  names(): readonly string[];
  has(name: string): boolean;
  subscribe(listener: () => void): () => void;
  beginTurn(turn: TurnContext): Promise<void>;
}

/** What a view looks at. */
export interface ViewSource {
  list(): readonly Tool[];
  /** The tools that would be offered but for a missing capability. */
  lacking(): readonly Tool[];
  call(call: ToolCall, context: CallContext): Promise<ToolResult>;
  subscribe(listener: () => void): () => void;
  beginTurn(turn: TurnContext): Promise<void>;
}

/** Creates a view. Its list stays the same array until what it shows changes, whatever else the source does. */
export function createView(source: ViewSource, filter: ViewFilter): ToolView {
  const matches = toPredicate(filter);
  const from = (): readonly Tool[] => (filter.available === false ? source.lacking() : source.list());
  let seen: readonly Tool[] | undefined;
  let shown: readonly Tool[] = Object.freeze([]);
  let byName = new Set<string>();

  const list = (): readonly Tool[] => {
    const all = from();
    if (all === seen) return shown;
    seen = all;
    const next = all.filter((tool) => matches(tool));
    if (next.length === shown.length && next.every((tool, index) => tool === shown[index])) return shown;
    shown = Object.freeze(next);
    byName = new Set(next.map((tool) => tool.name));
    return shown;
  };
  const names = (): readonly string[] => list().map((tool) => tool.name);

  return {
    list,
    names,
    has(name) {
      list();
      return byName.has(name);
    },
    call(call, context) {
      const fault = callFault(call, context);
      if (fault !== undefined) return Promise.resolve(refusal(fault));
      list();
      return byName.has(call.name) ? source.call(call, context) : Promise.resolve(unknownTool(call.name, names()));
    },
    subscribe(listener) {
      let last = list();
      return source.subscribe(() => {
        const now = list();
        if (now === last) return;
        last = now;
        listener();
      });
    },
    beginTurn: (turn) => source.beginTurn(turn),
  };
}

function toPredicate(filter: ViewFilter): (tool: Tool) => boolean {
  const include = filter.include === undefined ? undefined : new Set(filter.include);
  const exclude = new Set(filter.exclude ?? []);
  const category = toSet(filter.category);
  const optionality = toSet<string>(filter.optionality);
  const effect = toSet<string>(filter.effect);
  const tags = toSet(filter.tags);
  return ({ name, metadata, effect: own = 'external' }) =>
    (include === undefined || include.has(name)) &&
    !exclude.has(name) &&
    (category === undefined || (metadata?.category !== undefined && category.has(metadata.category))) &&
    (optionality === undefined || optionality.has(metadata?.optionality ?? 'optional')) &&
    (effect === undefined || effect.has(own)) &&
    (tags === undefined || (metadata?.tags ?? []).some((tag) => tags.has(tag)));
}

function toSet<T extends string>(value: T | readonly T[] | undefined): ReadonlySet<T> | undefined {
  if (value === undefined) return undefined;
  return new Set(typeof value === 'string' ? [value] : value);
}
