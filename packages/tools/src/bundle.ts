import { KernelError } from '@kernel/protocol';
import type { ToolRegistry } from './registry/types.ts';
import type { ToolView } from './registry/view.ts';

/** The standard categories of tools, for `metadata.category`. A tool can use any other word. */
export const TOOL_CATEGORIES = {
  /** Code manipulation and analysis. */
  code: 'code',
  /** Version control. */
  vcs: 'vcs',
  /** Build and test. */
  build: 'build',
  /** Information gathering. */
  research: 'research',
  /** Content publishing. */
  publish: 'publish',
  /** General utilities. */
  utility: 'utility',
} as const;

/** One of the standard categories. */
export type StandardCategory = keyof typeof TOOL_CATEGORIES;

/** A named set of tools for one purpose. */
export interface ToolBundle {
  /** The bundle's name, for errors. */
  readonly name: string;
  /** What the tools are for. */
  readonly description: string;
  /** Names of tools that must be available. */
  readonly required: readonly string[];
  /** Names of tools that are used if they are available. */
  readonly optional: readonly string[];
  /** Bundles that this one includes; a tool that any of them requires is required. */
  readonly bundles?: readonly ToolBundle[];
}

/** The tools of a bundle in a registry. */
export interface ResolvedBundle {
  /** A view of the bundle's tools that are registered and available. */
  readonly tools: ToolView;
  /** Required tools that are not registered. */
  readonly missingRequired: readonly string[];
  /** Optional tools that are not registered. */
  readonly missingOptional: readonly string[];
  /** Registered tools for which a capability is missing, and the missing ones. */
  readonly unavailable: ReadonlyMap<string, readonly string[]>;
}

/** Returns a checked and frozen copy of a bundle. Throws `CONFIG_INVALID` for a tool that is both required and optional, or a bundle that contains itself. */
export function defineBundle(bundle: ToolBundle): ToolBundle {
  membersOf(bundle);
  return Object.freeze({
    ...bundle,
    required: Object.freeze([...bundle.required]),
    optional: Object.freeze([...bundle.optional]),
  });
}

/**
 * Finds the tools of a bundle in a registry; capabilities are checked now. With `strict`, missing or unavailable required tools throw
 * `BUNDLE_INCOMPLETE`, which lists all of them. Missing optional ones never do.
 */
export async function resolveBundle(
  registry: Pick<ToolRegistry, 'has' | 'view' | 'available' | 'unavailable'>,
  bundle: ToolBundle,
  options: {
    /** Whether missing or unavailable required tools throw. Default false. */
    readonly strict?: boolean | undefined;
  } = {},
): Promise<ResolvedBundle> {
  const { required, optional } = membersOf(bundle);
  await registry.available();
  const missingCapabilities = registry.unavailable();
  const unavailable = new Map(
    [...required, ...optional].flatMap((name) => {
      const missing = missingCapabilities.get(name);
      return missing === undefined ? [] : [[name, missing] as const];
    }),
  );
  const isMissing = (name: string): boolean => !registry.has(name) && !unavailable.has(name);
  const missingRequired = [...required].filter(isMissing);
  const missingOptional = [...optional].filter(isMissing);
  const incomplete = [...missingRequired, ...[...required].filter((name) => unavailable.has(name))];
  if (options.strict === true && incomplete.length > 0) {
    const reasons = incomplete.map(
      (name) =>
        `"${name}" (${unavailable.has(name) ? `lacks ${unavailable.get(name)?.join(', ') ?? ''}` : 'not registered'})`,
    );
    throw new KernelError('BUNDLE_INCOMPLETE', `Bundle "${bundle.name}" lacks ${reasons.join(', ')}.`, {
      hint: 'Register the tools, provide the capabilities that they require, or resolve the bundle without `strict`.',
      data: { bundle: bundle.name, missing: incomplete },
    });
  }
  return {
    tools: registry.view({ include: [...required, ...optional] }),
    missingRequired,
    missingOptional,
    unavailable,
  };
}

function membersOf(
  bundle: ToolBundle,
  ancestors: ReadonlySet<ToolBundle> = new Set(),
): { readonly required: Set<string>; readonly optional: Set<string> } {
  const invalid = (problem: string): KernelError =>
    new KernelError('CONFIG_INVALID', `Bundle "${bundle.name}" ${problem}.`);
  if (ancestors.has(bundle)) throw invalid('contains itself');
  const both = bundle.required.filter((name) => bundle.optional.includes(name));
  if (both.length > 0) throw invalid(`names ${both.map((name) => `"${name}"`).join(', ')} as required and as optional`);
  const required = new Set(bundle.required);
  const optional = new Set(bundle.optional);
  for (const inner of bundle.bundles ?? []) {
    const members = membersOf(inner, new Set([...ancestors, bundle]));
    for (const name of members.required) required.add(name);
    for (const name of members.optional) optional.add(name);
  }
  for (const name of required) optional.delete(name);
  return { required, optional };
}
