import type { ToolBinding } from '../tool/binding.ts';
import { asInput } from '../unsafe-casts.ts';
import type { Slot } from './semaphore.ts';

const NONE: readonly Slot[] = [];

/**
 * The limits that a call counts against. A `write` tool without a limit of its own is exclusive: per key where it has one, else per
 * tool. A key function that throws counts as one key, the careful way.
 */
export function slotsOf(binding: ToolBinding, input: unknown, registryMax: number): readonly Slot[] {
  const { concurrency, tool } = binding;
  const writes = tool.effect === 'write';
  if (registryMax === Infinity && concurrency === undefined && !writes) return NONE;
  const slots: Slot[] = registryMax === Infinity ? [] : [{ id: '', max: registryMax, shared: true }];
  const { max, key } = typeof concurrency === 'object' ? concurrency : { max: concurrency, key: undefined };
  const limit = max ?? (writes || key !== undefined ? 1 : Infinity);
  if (limit === Infinity) return slots;
  return [...slots, { id: key === undefined ? tool.name : `${tool.name} ${keyOf(key, input)}`, max: limit }];
}

function keyOf(key: (input: never) => string, input: unknown): string {
  try {
    return `key ${key(asInput(input))}`;
  } catch {
    return 'no key';
  }
}
