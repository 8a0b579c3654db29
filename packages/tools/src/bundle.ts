import { KernelError } from '@kernel/protocol';
import type { ToolRegistry } from './registry/registry.ts';
import type { ToolView } from './registry/view.ts';

/** A named set of tools for a purpose (seed 003). */
export interface ToolBundle {
  readonly name: string;
  readonly description: string;
  /** Names that must be there. */
  readonly required: readonly string[];
  /** Names that help. */
  readonly optional: readonly string[];
  /** Bundles whose tools belong to this one; what any of them requires is required. */
  readonly bundles?: readonly ToolBundle[];
}

/** What became of a bundle in a registry. */
export interface ResolvedBundle {
  /** A view of exactly the bundle's tools that are there and available. */
  readonly tools: ToolView;
  readonly missingRequired: readonly string[];
  readonly missingOptional: readonly string[];
  /** Tools that are registered but lack a capability, and what they lack. */
  readonly unavailable: ReadonlyMap<string, readonly string[]>;
}

/** Checks a bundle and freezes it. Throws `CONFIG_INVALID` for a tool that is both required and optional, or a bundle inside itself. */
export function defineBundle(bundle: ToolBundle): ToolBundle {
  membersOf(bundle);
  return Object.freeze({
    ...bundle,
    required: Object.freeze([...bundle.required]),
    optional: Object.freeze([...bundle.optional]),
  });
}

/**
 * Finds a bundle's tools in a registry, capabilities checked now. With `strict`, a required tool that is missing or unavailable throws
 * `BUNDLE_INCOMPLETE`, which lists all of them; a missing optional one never does.
 */
export async function resolveBundle(
  registry: ToolRegistry,
  bundle: ToolBundle,
  options: { readonly strict?: boolean | undefined } = {},
): Promise<ResolvedBundle> {
  const { required, optional } = membersOf(bundle);
  await registry.available();
  const lacking = registry.unavailable();
  const unavailable = new Map(
    [...required, ...optional].flatMap((name) => {
      const missing = lacking.get(name);
      return missing === undefined ? [] : [[name, missing] as const];
    }),
  );
  const isMissing = (name: string): boolean => !registry.has(name) && !unavailable.has(name);
  const missingRequired = [...required].filter(isMissing);
  const missingOptional = [...optional].filter(isMissing);
  const lost = [...missingRequired, ...[...required].filter((name) => unavailable.has(name))];
  if (options.strict === true && lost.length > 0) {
    const reasons = lost.map(
      (name) =>
        `"${name}" (${unavailable.has(name) ? `lacks ${unavailable.get(name)?.join(', ') ?? ''}` : 'not registered'})`,
    );
    throw new KernelError('BUNDLE_INCOMPLETE', `Bundle "${bundle.name}" lacks ${reasons.join(', ')}.`, {
      hint: 'Register the tools, provide what they need, or resolve the bundle without `strict`.',
      data: { bundle: bundle.name, missing: lost },
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
  above: ReadonlySet<ToolBundle> = new Set(),
): { readonly required: Set<string>; readonly optional: Set<string> } {
  const refuse = (problem: string): KernelError =>
    new KernelError('CONFIG_INVALID', `Bundle "${bundle.name}" ${problem}.`);
  if (above.has(bundle)) throw refuse('contains itself');
  const both = bundle.required.filter((name) => bundle.optional.includes(name));
  if (both.length > 0) throw refuse(`names ${both.map((name) => `"${name}"`).join(', ')} as required and as optional`);
  const required = new Set(bundle.required);
  const optional = new Set(bundle.optional);
  for (const inner of bundle.bundles ?? []) {
    const members = membersOf(inner, new Set([...above, bundle]));
    for (const name of members.required) required.add(name);
    for (const name of members.optional) optional.add(name);
  }
  for (const name of required) optional.delete(name);
  return { required, optional };
}

/** Standard tools for agents that work on code (seed 003). */
export const CODE_AGENT: ToolBundle = defineBundle({
  name: 'code_agent',
  description: 'Standard tools for code manipulation agents',
  required: ['file', 'code_edit', 'search', 'navigate', 'git'],
  optional: ['bash', 'test', 'web_search'],
});

/** Tools for writing a blog (seed 003). */
export const BLOG_AGENT: ToolBundle = defineBundle({
  name: 'blog_agent',
  description: 'Tools for blog content creation',
  required: [],
  optional: ['rss_feed', 'calendar', 'static_links', 'blog_notion', 'web_search'],
});
