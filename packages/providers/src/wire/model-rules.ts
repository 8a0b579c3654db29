import type { JsonValue, ProviderWarning } from '@kernel/protocol';
import type { ResolvedOptions } from '../config/model-options.ts';

/** Lowest first. */
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof EFFORTS)[number];

/** Each wire has its table in `models.ts`. */
export interface ModelRules {
  /** The levels that the model takes; `any` if nothing is known about it. */
  readonly efforts: readonly Effort[] | 'any';
  /** Whether the model reasons in a request that does not ask for an effort. */
  readonly reasons: boolean;
  readonly sampling: 'always' | 'without-reasoning' | 'never';
  /** The vendor's own fields that are accepted only when temperature is. */
  readonly samplingFields: readonly string[];
  /** Options, and fields of the vendor's own. */
  readonly refused: readonly string[];
}

/** The rules for a model about which nothing is known. */
export const TAKES_ALL: ModelRules = {
  efforts: 'any',
  reasons: false,
  sampling: 'always',
  samplingFields: [],
  refused: [],
};

/** The first entry whose pattern matches counts. */
export type Families<Rules> = readonly (readonly [RegExp, Rules])[];

export function notesOf(model: string, warnings: ProviderWarning[]) {
  const refused = `"${model}" does not take it`;
  return {
    leftOut: (what: string, why: string = refused) => void warnings.push({ message: `${what} is left out: ${why}` }),
    sentAs: (what: string, instead: string, why: string = refused) =>
      void warnings.push({ message: `${what} is sent as ${instead}: ${why}` }),
    mayBeRefused: (what: string, why: string) => void warnings.push({ message: `${what} may be refused: ${why}` }),
  };
}

export type Notes = ReturnType<typeof notesOf>;

/** Returns the name in lower case, without the path that a gateway puts before it. */
export function modelName(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1).toLowerCase();
}

export function rulesIn<Rules>(families: Families<Rules>, name: string): Rules | undefined {
  return families.find(([pattern]) => pattern.test(name))?.[1];
}

/** The one that is asked for, or the nearest that the model takes: the lower of two, and only `none` turns reasoning off. */
export function effortFor(
  asked: JsonValue | undefined,
  efforts: readonly Effort[] | 'any',
  notes: Notes,
): Effort | undefined {
  if (asked === undefined) return undefined;
  const what = `reasoningEffort ${JSON.stringify(asked)}`;
  const wanted = EFFORTS.find((effort) => effort === asked);
  if (wanted === undefined || efforts.length === 0) {
    // A model that cannot reason does what "none" asks for.
    if (wanted !== 'none') notes.leftOut(what);
    return undefined;
  }
  if (efforts === 'any' || efforts.includes(wanted)) return wanted;
  const distance = (effort: Effort): number => Math.abs(EFFORTS.indexOf(effort) - EFFORTS.indexOf(wanted));
  const [nearest] = EFFORTS.filter((effort) => efforts.includes(effort) && effort !== 'none').toSorted(
    (a, b) => distance(a) - distance(b),
  );
  if (nearest === undefined) notes.leftOut(what);
  else notes.sentAs(what, `"${nearest}"`);
  return nearest;
}

export function acceptedOptions(options: ResolvedOptions, rules: ModelRules, notes: Notes): ResolvedOptions {
  const { reasoningEffort: asked, ...others } = options;
  const effort = rules.efforts === 'any' ? asked : effortFor(asked, rules.efforts, notes);
  const refused = refusedNames(rules, effort);
  if (refused.length === 0 && effort === asked) return options;
  const accepted = effort === undefined ? others : { ...others, reasoningEffort: effort };
  for (const name of refused) {
    const value = valueOf(accepted, name);
    // 1 is the default of both; without it the request says the same.
    const isDefault = (name === 'temperature' || name === 'topP') && value === 1;
    if (value !== undefined && !isDefault) notes.leftOut(name);
  }
  const keep = ([name]: readonly [string, unknown]): boolean => !refused.includes(name);
  const { extra, ...known } = accepted;
  return {
    ...Object.fromEntries(Object.entries(known).filter(keep)),
    extra: Object.fromEntries(Object.entries(extra).filter(keep)),
  };
}

/** What a request may ask for if its turn began without a thought. */
export function withoutThinking(options: ResolvedOptions, notes: Notes): ResolvedOptions {
  const { reasoningEffort, ...others } = options;
  if (reasoningEffort === undefined || reasoningEffort === 'none') return options;
  notes.leftOut('reasoningEffort', 'the calls of this turn were made without a thought, and the model could not go on');
  return others;
}

function refusedNames(rules: ModelRules, effort: JsonValue | undefined): readonly string[] {
  const reasons = effort === undefined ? rules.reasons : effort !== 'none';
  const samples = rules.sampling === 'always' || (rules.sampling === 'without-reasoning' && !reasons);
  return samples ? rules.refused : ['temperature', 'topP', ...rules.samplingFields, ...rules.refused];
}

function valueOf({ extra, ...known }: ResolvedOptions, name: string): unknown {
  return new Map<string, unknown>([...Object.entries(extra), ...Object.entries(known)]).get(name);
}
