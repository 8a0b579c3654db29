import { isRepeatable } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import type { CallPlan, RunnerOptions } from './types.ts';

/** Creates what plans the calls of a tool, once for each binding. */
export function createPlans(options: RunnerOptions): (binding: ToolBinding) => CallPlan {
  const plans = new WeakMap<ToolBinding, CallPlan>();
  return (binding) => {
    const known = plans.get(binding);
    if (known !== undefined) return known;
    const plan = planCalls(binding, options);
    plans.set(binding, plan);
    return plan;
  };
}

function planCalls(binding: ToolBinding, options: RunnerOptions): CallPlan {
  const { concurrency, tool } = binding;
  const canRepeat = isRepeatable(tool.effect);
  const retries = canRepeat ? (binding.retries ?? options.retries) : 0;
  return {
    timeoutMs: binding.timeoutMs ?? options.timeoutMs,
    policy: {
      repair: binding.repair ?? options.repair,
      unknownProperties: binding.unknownProperties ?? options.unknownProperties ?? (canRepeat ? 'strip' : 'reject'),
    },
    retries,
    isQueued: options.concurrency !== Infinity || concurrency !== undefined || tool.effect === 'write' || retries > 0,
    resultLimit: binding.resultLimit ?? options.resultLimit,
  };
}
