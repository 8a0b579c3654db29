import type { ProviderWarning, Tool } from '@kernel/protocol';
import { VENDOR_RULES, type VendorLimits } from './rules.ts';

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
