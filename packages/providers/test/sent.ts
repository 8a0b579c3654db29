import type { ProviderRequest } from '@kernel/protocol';
import type { WireName } from '@kernel/testing';
import type { CustomProviderConfig } from '../src/index.ts';
import { endOf, request } from './support.ts';
import { withWire } from './wires.ts';

/** What a request sends, and what its reply warns of. */
export interface Sent {
  readonly body: Readonly<Record<string, unknown>>;
  readonly warnings: string;
}

/** Sends a request over a wire to a server on loopback. */
export async function sentOver(
  wire: WireName,
  more: Partial<ProviderRequest>,
  config: Partial<CustomProviderConfig> = {},
): Promise<Sent> {
  let body: unknown;
  let warnings: readonly string[] = [];
  const work = async ({ provider, server }: Parameters<Parameters<typeof withWire>[2]>[0]): Promise<void> => {
    const end = await endOf(provider.stream(request(more)));
    warnings = (end.warnings ?? []).map(({ message }) => message);
    body = server.requests[0]?.body;
  };
  await withWire(wire, { replies: [{ text: 'ok' }] }, work, config);
  return { body: body as Sent['body'], warnings: warnings.join('\n') };
}

/** One row of a table: the model, the options, fields of the body (null: absent), and a text of each warning. */
export type Row = readonly [
  model: string,
  options: ProviderRequest['options'],
  fields: Readonly<Record<string, unknown>>,
  warnings?: readonly string[],
];

/** The rows as cases of `test.each`, named after what they say. */
export function casesOf(rows: readonly Row[]) {
  return rows.map(([model, options, fields, expected]) => {
    const name = `${model} with ${JSON.stringify(options)} sends ${JSON.stringify(fields)}`;
    return { name, model, options, fields, expected };
  });
}

/** The fields of a row as they were sent: null where one is absent. */
export function fieldsOf(body: Sent['body'], fields: Row[2]): Record<string, unknown> {
  return Object.fromEntries(Object.keys(fields).map((key) => [key, body[key] ?? null]));
}

/** What is wrong with the warnings of a row: the texts that are missing, or the warnings if there should be none. */
export function wrongWarnings(warnings: string, expected: readonly string[] = []): readonly string[] {
  if (expected.length === 0) return warnings === '' ? [] : [warnings];
  return expected.filter((text) => !warnings.includes(text)).map((text) => `"${text}" is not in: ${warnings}`);
}
