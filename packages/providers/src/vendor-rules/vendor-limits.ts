import { isObject } from '@kernel/internal';
import type { MediaLimits, ProviderWarning, Tool } from '@kernel/protocol';
import { VENDOR_RULES, type VendorLimits } from './rules.ts';

const MOST_KEPT = 100;
const known = new Map<string, VendorLimits>();

/** Returns the limits that hold for a model at a vendor: the same object each time. */
export function limitsOf(vendor: string, model: string): VendorLimits {
  const key = `${vendor}/${model}`;
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const found: Record<string, unknown> = {};
  for (const [where, what, limit] of VENDOR_RULES) {
    const slash = where.indexOf('/');
    const on = slash === -1 ? where : where.slice(0, slash);
    if (on !== '*' && on !== vendor) continue;
    if (slash === -1 || new RegExp(where.slice(slash + 1), 'i').test(model)) found[what] = limit;
  }
  const limits: VendorLimits = Object.freeze(found);
  if (known.size >= MOST_KEPT) known.clear();
  known.set(key, limits);
  return limits;
}

/** Returns what all of these limits allow, for a request that any of several vendors may get. */
export function strictest(all: readonly unknown[]): MediaLimits {
  const merged = new Map<string, unknown>();
  for (const [what, limit] of all.flatMap((limits) => (isObject(limits) ? Object.entries(limits) : []))) {
    const before = merged.get(what);
    if (typeof before === 'number' && typeof limit === 'number') merged.set(what, Math.min(before, limit));
    else if (Array.isArray(before) && Array.isArray(limit))
      merged.set(
        what,
        before.filter((value) => limit.includes(value)),
      );
    else merged.set(what, isObject(before) && isObject(limit) ? strictest([before, limit]) : limit);
  }
  return Object.fromEntries(merged);
}

/** Warns of what `vendor` refuses of a tool. */
export function limitWarnings(tool: Tool, vendor: string, limits: VendorLimits): readonly ProviderWarning[] {
  const { description, rootKeys } = limits;
  const warnings: ProviderWarning[] = [];
  const warn = (why: string): void =>
    void warnings.push({ message: `${vendor} refuses it: ${why}`, tool: tool.name, path: '' });
  const { length } = tool.description;
  if (description !== undefined && length > description)
    warn(`the description has ${length} characters, and ${description} are allowed`);
  const others = rootKeys === undefined ? [] : Object.keys(tool.parameters).filter((key) => !rootKeys.includes(key));
  if (others.length > 0) warn(`the schema's root has ${others.join(', ')}, and takes ${rootKeys?.join(', ')}`);
  return warnings;
}

/** Warns of what any model of a vendor refuses of a tool. */
export function vendorWarnings(tool: Tool, vendor: string): readonly ProviderWarning[] {
  return VENDOR_RULES.flatMap(([where, what, limit]) => {
    const [on, models = vendor] = where.split('/');
    return on === vendor ? limitWarnings(tool, models, { [what]: limit }) : [];
  });
}
