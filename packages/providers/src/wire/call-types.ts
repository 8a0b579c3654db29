import type { ToolDecoder } from './tool-encoder.ts';

/** Each wire has its own; the table in `docs/guides/server-tools.md` shows all of them. */
export interface CallTypes {
  readonly calls: readonly string[];
  /** Never a call, whatever its name is. `*_x` stands for every type that ends in `_x`. */
  readonly vendor: readonly string[];
}

/** Its type says so, or nobody knows its type and a tool of its name was on offer. */
export function isCall(
  { calls, vendor }: CallTypes,
  type: string,
  name: string | undefined,
  { offers }: ToolDecoder,
): boolean {
  if (calls.includes(type)) return true;
  if (vendor.some((known) => (known.startsWith('*') ? type.endsWith(known.slice(1)) : type === known))) return false;
  return name !== undefined && offers(name);
}
