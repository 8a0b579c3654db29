import type { JsonValue } from '@kernel/protocol';

/** What the tools do, in all three sandboxes. */
export const TOOLS: Readonly<Record<string, (input: Record<string, JsonValue>) => JsonValue>> = {
  list: () => Array.from({ length: 10 }, (_, at) => at + 1),
  product: ({ id }) => ({
    id: Number(id),
    name: `Product ${Number(id)}`,
    euros: (Number(id) * 37) % 100,
    vendor: Number(id) % 3,
  }),
  text: () => 'apple\nbanana\nblueberry\ncherry',
  json: () => '{"items":[{"n":1},{"n":2}]}',
  echo: (input) => input,
  fail: () => {
    throw new Error('no stock');
  },
};

/** Calls one of the tools. Rejects as it throws. */
export async function callTool(name: string, input: unknown): Promise<JsonValue> {
  return TOOLS[name]?.((input ?? {}) as Record<string, JsonValue>) ?? null;
}
