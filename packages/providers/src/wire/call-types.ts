import type { ToolDecoder } from './tool-encoder.ts';

/** What the types of a wire's parts say about tools. Each wire has its own; the table in `docs/guides/server-tools.md` shows all of them. @internal */
export interface CallTypes {
  /** Calls of the request's tools. */
  readonly calls: readonly string[];
  /** What the vendor runs, and the results of that: never a call, whatever its name is. `*_x` stands for every type that ends in `_x`. */
  readonly vendor: readonly string[];
}

/** Whether a part calls a tool of the request: its type says so, or nobody knows its type and a tool of its name was on offer. @internal */
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
