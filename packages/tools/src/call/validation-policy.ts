import type { ValidationPolicy } from '@kernel/schema';
import { isRepeatable, type ToolBinding } from '../tool/binding.ts';
import type { RunnerOptions } from './types.ts';

/** Creates what says how the arguments of a tool are validated: by its own options, those of the registry, and what its effect asks for. */
export function createPolicies(
  options: Pick<RunnerOptions, 'repair' | 'unknownProperties'>,
): (binding: ToolBinding) => ValidationPolicy {
  const policies = {
    repeatable: { repair: options.repair, unknownProperties: options.unknownProperties ?? 'strip' },
    effective: { repair: options.repair, unknownProperties: options.unknownProperties ?? 'reject' },
  } as const;
  return (binding) => {
    const policy = isRepeatable(binding.tool) ? policies.repeatable : policies.effective;
    const { repair = policy.repair, unknownProperties = policy.unknownProperties } = binding;
    const isDefault = repair === policy.repair && unknownProperties === policy.unknownProperties;
    return isDefault ? policy : { repair, unknownProperties };
  };
}
