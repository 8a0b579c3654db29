import { type JsonObject, KernelError, type MediaPart, type TextPart } from '@kernel/protocol';
import { authorizer, parseBaseUrl, type ProviderConfig } from '../config/provider-config.ts';

/** Where a wire's requests go, and how they say who sends them. @internal */
export interface WireSettings {
  readonly name: string;
  readonly origin: string;
  /** Of the API, without a slash at the end. */
  readonly root: string;
  /** The query of `baseUrl`, with its question mark, or empty. */
  readonly search: string;
  readonly options: JsonObject;
  readonly authorize: (token: string) => Readonly<Record<string, string>>;
}

/** Resolves a config for a wire. `root` is the path of the API where `baseUrl` names none; `header` is the vendor's own for a key. @internal */
export function resolveWire(
  config: ProviderConfig,
  usual: { readonly baseUrl: string; readonly root: string; readonly header?: string },
): WireSettings {
  const base = parseBaseUrl(config.name, config.baseUrl ?? usual.baseUrl);
  return {
    name: config.name,
    origin: base.origin,
    root: base.path === '' ? usual.root : base.path,
    search: base.search,
    options: config.options ?? {},
    authorize: authorizer(config, usual.header),
  };
}

/** The data of a media part; throws `PROVIDER_UNSUPPORTED` for one that is given by URL. @internal */
export function dataOf(part: MediaPart, wire: string): string {
  if (part.data !== undefined) return part.data;
  if (part.url !== undefined)
    throw unsupportedPart(`${part.type} parts by URL`, wire, 'Load it and give it as base64 in data.');
  throw new KernelError('CONFIG_INVALID', `A part of type "${part.type}" has neither data nor url.`, {
    hint: 'Set data (base64) or url.',
  });
}

/** The error of a part that a wire cannot carry. @internal */
export function unsupportedPart(what: string, wire: string, hint: string): KernelError {
  return new KernelError('PROVIDER_UNSUPPORTED', `The ${wire} wire does not take ${what}.`, { hint });
}

/** A note in place of a media part that a wire cannot carry in a tool's result. @internal */
export function mediaNote(part: TextPart | MediaPart): string {
  if (part.type === 'text') return part.text;
  const name = part.name === undefined ? '' : ` "${part.name}"`;
  const where = part.url === undefined ? '' : ` at ${part.url}`;
  return `[${part.type}${name} (${part.mimeType})${where}, left out: this wire does not take it here]`;
}
