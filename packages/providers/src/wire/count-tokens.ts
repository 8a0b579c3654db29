import { KernelError, type ProviderRequest, type TokenCount } from '@kernel/protocol';
import { decodeUtf8 } from '@kernel/internal';
import { postJson } from '../http/post-json.ts';
import { asFields, asNumber, type Fields, parseJson } from '../json-fields.ts';
import type { WireContext } from './wire-context.ts';

/** How a vendor counts the tokens of a request. @internal */
export interface TokenCounter<Settings> {
  /** Returns the path of the operation, with its query. */
  readonly path: (settings: Settings, model: string) => string;
  /** Returns the body, made from the body of a request for a reply in one piece. */
  readonly body: (body: Fields, model: string) => object;
  /** The field of the reply that holds the count. */
  readonly field: string;
}

/** What to count, and how. @internal */
export interface TokenCountOptions<Settings> {
  /** The provider's name, for errors. */
  readonly provider: string;
  /** The settings of the wire. */
  readonly settings: Settings;
  /** How the vendor counts. */
  readonly counter: TokenCounter<Settings>;
  /** The request. */
  readonly request: ProviderRequest;
  /** The request, encoded for a reply in one piece. */
  readonly encoded: { readonly body: string | Uint8Array; readonly freeBody?: (() => void) | undefined };
}

/** Has the vendor count the tokens of a request. Throws `PROVIDER_PROTOCOL` for a reply without a count. @internal */
export async function countTokens<Settings>(
  context: WireContext,
  { counter, encoded: { body, freeBody }, provider, request: { model, signal }, settings }: TokenCountOptions<Settings>,
): Promise<TokenCount> {
  const fields = asFields(parseJson(typeof body === 'string' ? body : decodeUtf8(body))) ?? {};
  freeBody?.();
  const counted = counter.body(fields, model);
  const reply = asFields(await postJson(context, provider, counter.path(settings, model), counted, signal));
  const inputTokens = asNumber(reply?.[counter.field]);
  if (inputTokens !== undefined && inputTokens >= 0) return { inputTokens };
  throw new KernelError('PROVIDER_PROTOCOL', `${provider}: the ${counter.field} of the reply is not a count.`);
}

/** Returns the fields of an object with these names. @internal */
export function pickFields(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
}
