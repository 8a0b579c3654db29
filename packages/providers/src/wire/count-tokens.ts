import { KernelError, type ProviderRequest, type TokenCount } from '@kernel/protocol';
import { decodeUtf8 } from '@kernel/internal';
import { postJson } from '../http/post-json.ts';
import { asFields, asNumber, type Fields, parseJson } from '../json-fields.ts';
import type { WireContext } from './wire-context.ts';

export interface TokenCounter<Settings> {
  readonly path: (settings: Settings, model: string) => string;
  /** Made from the body of a request for a reply in one piece. */
  readonly body: (body: Fields, model: string) => object;
  readonly field: string;
}

export interface TokenCountOptions<Settings> {
  readonly provider: string;
  readonly settings: Settings;
  readonly counter: TokenCounter<Settings>;
  readonly request: ProviderRequest;
  /** For a reply in one piece. */
  readonly encoded: { readonly body: string | Uint8Array; readonly freeBody?: (() => void) | undefined };
}

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

export function pickFields(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
}
