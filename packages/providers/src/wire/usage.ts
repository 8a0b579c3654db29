import type { Usage } from '@kernel/protocol';
import { definedFields } from '../json-fields.ts';

/** The usage of a reply; undefined if the vendor says neither count. `addedInput`, `addedOutput`: what the vendor counts apart. */
export function toUsage(
  input: number | undefined,
  output: number | undefined,
  details: { readonly [K in keyof Usage]?: Usage[K] | undefined } = {},
  addedInput = 0,
  addedOutput = 0,
): Usage | undefined {
  if (input === undefined && output === undefined) return undefined;
  const known = definedFields<Usage[keyof Usage]>(details);
  return { inputTokens: (input ?? 0) + addedInput, outputTokens: (output ?? 0) + addedOutput, ...known };
}
