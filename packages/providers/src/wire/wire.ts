import { type Redactor, decodeUtf8, createRedactor } from '@kernel/internal';
import type {
  EmbedRequest,
  EmbedResult,
  Provider,
  ProviderRequest,
  ProviderWarning,
  StructuredOutput,
  Transcript,
  TranscribeRequest,
} from '@kernel/protocol';
import type { CommonConfig } from '../config/common-config.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { type Signer, type AuthenticatedClient, createAuthenticatedClient } from '../http/authenticated-client.ts';
import { type ResponseHeaders, DEFAULT_USER_AGENT, isSecretHeader } from '../http/transport.ts';
import type { BackgroundPaths, ReplyDecoder } from '../stream/reply-decoder.ts';
import { createWireStream } from '../stream/wire-stream.ts';
import type { DecoderContext } from './message-builder.ts';
import { IDENTITY_TOOL_DECODER, type ToolDecoder } from './tool-encoder.ts';
import { protocolError } from '../http/errors.ts';
import { postJson } from '../http/response-text.ts';
import { asFields, asNumber, type Fields, parseJson } from '../json-fields.ts';
import { configError } from '../config/config-error.ts';
import { createToken } from '../config/credentials.ts';
import { type ResolvedLimits, resolveLimits } from '../http/limits.ts';
import { type ResolvedTimeouts, resolveTimeouts } from '../http/timeouts.ts';

/** Shared by all requests of one provider. */
export interface WireContext {
  readonly name: string;
  readonly client: AuthenticatedClient;
  readonly redactor: Redactor;
  readonly limits: ResolvedLimits;
  readonly timeouts: ResolvedTimeouts;
}

export interface EncodedRequest {
  /** Begins with a slash; may have a query. */
  readonly path: string;
  readonly body: string | Uint8Array;
  readonly accept: string;
  readonly warnings: readonly ProviderWarning[];
  /** Absent if the request has no tools. */
  readonly toolDecoder?: ToolDecoder | undefined;
  /** Lets the encoder reuse the memory of `body`. */
  readonly freeBody?: (() => void) | undefined;
  /** Absent if the reply ends with its connection. */
  readonly background?: BackgroundPaths | undefined;
  readonly audioType?: string | undefined;
}

export type BaseSettings = Pick<WireSettings, 'origin' | 'authorize'> & Partial<Pick<WireSettings, 'serverTools'>>;

export interface Wire<Config extends CommonConfig, Settings extends BaseSettings> {
  /** Checks a config and fills in the vendor's defaults. */
  readonly resolve: (config: Config) => Settings;
  /** The headers that the vendor requires in every request. */
  readonly headers?: (settings: Settings) => Readonly<Record<string, string>>;
  /** Called once per provider. */
  readonly createEncoder: (settings: Settings) => (request: ProviderRequest) => EncodedRequest;
  readonly createDecoder: (context: DecoderContext, headers: ResponseHeaders) => ReplyDecoder;
  readonly createSigner?: (config: Config, settings: Settings, redactor: Redactor) => Signer | undefined;
  readonly structuredOutput: (settings: Settings, model: string) => StructuredOutput;
  readonly tokenCounter?: {
    readonly path: (settings: Settings, model: string) => string;
    /** Made from the body of a request for a reply in one piece. */
    readonly body: (body: Fields, model: string) => object;
    /** The field of the reply that is the count. */
    readonly field: string;
  };
  readonly embed?: (context: WireContext, settings: Settings, request: EmbedRequest) => Promise<EmbedResult>;
  readonly transcribe?: (context: WireContext, settings: Settings, request: TranscribeRequest) => Promise<Transcript>;
}

const DEFAULT_CONNECTIONS = 10;

/** Nothing is loaded or opened before the first request. */
export function openWire<Config extends CommonConfig, Settings extends BaseSettings>(
  { createSigner, headers, resolve }: Wire<Config, Settings>,
  config: Config,
): { readonly settings: Settings; readonly context: WireContext } {
  const settings = resolve(config);
  const { auth, connections = DEFAULT_CONNECTIONS, name, token } = config;
  const redactor = createRedactor(settings.serverTools?.secrets);
  if (!Number.isInteger(connections) || connections < 1)
    throw configError(name, `connections is ${String(connections)}.`, 'Use a whole number from 1.');
  const limits = resolveLimits(config.limits);
  const timeouts = resolveTimeouts(config.timeouts);
  const client = createAuthenticatedClient({
    ...config,
    provider: name,
    origin: settings.origin,
    authorize: settings.authorize,
    connections,
    redactor,
    timeouts,
    responseBytes: limits.responseBytes,
    token: createToken(auth === 'none' ? undefined : token, name, redactor),
    headers: requestHeaders(headers?.(settings), config.headers, redactor),
    sign: createSigner?.(config, settings, redactor),
  });
  return { settings, context: { name, client, redactor, limits, timeouts } };
}

/** Headers of the config win. Names of beta features are joined. */
function requestHeaders(
  required: Readonly<Record<string, string>> = {},
  configured: Readonly<Record<string, string>> = {},
  redactor: Redactor,
): Readonly<Record<string, string>> {
  const headers = new Map([['user-agent', DEFAULT_USER_AGENT]]);
  for (const [given, value] of [...Object.entries(required), ...Object.entries(configured)]) {
    const name = given.toLowerCase();
    if (isSecretHeader(name)) redactor.add(value.replace(/^(Bearer|Basic) /i, ''));
    const known = name.endsWith('-beta') ? headers.get(name) : undefined;
    headers.set(name, known === undefined ? value : `${known},${value}`);
  }
  return Object.fromEntries(headers);
}

/** Never retries; nothing is encoded or sent before the first `next()` of a stream. */
export function wireProvider<Config extends CommonConfig, Settings extends BaseSettings>(
  wire: Wire<Config, Settings>,
  config: Config,
): Provider {
  const { embed, tokenCounter, transcribe } = wire;
  const { settings, context } = openWire(wire, config);
  const encode = wire.createEncoder(settings);
  const { client, limits, name, redactor, timeouts } = context;

  return {
    name,
    structuredOutput: (model) => wire.structuredOutput(settings, model),
    stream: (request) =>
      createWireStream(client, redactor, request.signal, () => {
        const { accept, body, freeBody, path, toolDecoder = IDENTITY_TOOL_DECODER, ...reply } = encode(request);
        const { background } = reply;
        const streams = request.stream !== false;
        const { lineLength, responseBytes } = limits;
        const decoding = { ...reply, name, model: request.model, streams, redactor, toolDecoder, lineLength };
        return {
          request: { path, accept, body },
          freeBody,
          background: background && { ...timeouts, provider: name, responseBytes },
          createDecoder: (emit, headers) => wire.createDecoder({ ...decoding, emit }, headers),
        };
      }),
    ...(tokenCounter && {
      async countTokens(request) {
        const { model, signal } = request;
        const fields = asFields(parseJson(takeBody(encode({ ...request, stream: false })))) ?? {};
        const path = tokenCounter.path(settings, model);
        const reply = asFields(await postJson(context, path, tokenCounter.body(fields, model), signal));
        const inputTokens = asNumber(reply?.[tokenCounter.field]);
        if (inputTokens !== undefined && inputTokens >= 0) return { inputTokens };
        throw protocolError(name, `the ${tokenCounter.field} of the reply is not a count.`);
      },
    }),
    ...(embed && { embed: (request) => embed(context, settings, request) }),
    ...(transcribe && { transcribe: (request) => transcribe(context, settings, request) }),
  };
}

/** The body as text; its memory is released. */
export function takeBody({ body, freeBody }: Pick<EncodedRequest, 'body' | 'freeBody'>): string {
  const text = typeof body === 'string' ? body : decodeUtf8(body);
  freeBody?.();
  return text;
}
