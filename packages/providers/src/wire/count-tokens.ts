import { KernelError, type ProviderRequest, type TokenCount } from '@kernel/protocol';
import { decodeUtf8 } from '@kernel/internal';
import { postJson } from '../http/post-json.ts';
import { asFields, asNumber, type Fields, parseJson } from '../json-fields.ts';
import type { WireContext } from './wire-context.ts';

/** How a vendor counts the tokens of a request. @internal */
export interface TokenCounter<Settings> {
  /** The path of the operation, with its query. */
  readonly path: (settings: Settings, model: string) => string;
  /** The body, made of that of a whole reply. */
  readonly body: (body: Fields, model: string) => object;
  /** The field of the answer that holds the count. */
  readonly field: string;
}

/** Asks the vendor for the tokens of a request that was encoded for a whole reply. @internal */
export async function countTokens<Settings>(
  context: WireContext,
  counter: TokenCounter<Settings>,
  settings: Settings,
  provider: string,
  { model, signal }: ProviderRequest,
  { body, freeBody }: { readonly body: string | Uint8Array; readonly freeBody?: (() => void) | undefined },
): Promise<TokenCount> {
  const fields = asFields(parseJson(typeof body === 'string' ? body : decodeUtf8(body))) ?? {};
  freeBody?.();
  const counted = counter.body(fields, model);
  const reply = asFields(await postJson(context, provider, counter.path(settings, model), counted, signal));
  const inputTokens = asNumber(reply?.[counter.field]);
  if (inputTokens !== undefined) return { inputTokens };
  throw new KernelError('PROVIDER_PROTOCOL', `${provider}: the reply has no ${counter.field}.`);
}

/** Returns the fields of an object with these names. @internal */
export function pickFields(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
}
