import type { Redactor } from '@kernel/internal';
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
import type { ServerTools } from '../config/server-tools.ts';
import type { Signer } from '../http/authenticated-client.ts';
import type { ResponseHeaders } from '../http/headers.ts';
import type { BackgroundPaths, ReplyDecoder } from '../stream/reply-decoder.ts';
import { createWireStream } from '../stream/wire-stream.ts';
import { countTokens, type TokenCounter } from './count-tokens.ts';
import type { DecoderContext } from './message-builder.ts';
import { IDENTITY_TOOL_DECODER, type ToolDecoder } from './tool-encoder.ts';
import { createWireContext, type WireContext } from './wire-context.ts';

/** A request in a wire's terms. @internal */
export interface EncodedRequest {
  /** Begins with a slash; may have a query. */
  readonly path: string;
  /** The JSON body. */
  readonly body: string | Uint8Array;
  /** The `accept` header. */
  readonly accept: string;
  /** What the wire cannot express. */
  readonly warnings: readonly ProviderWarning[];
  /** Maps the reply's calls back to the tools. Absent: there are no tools. */
  readonly toolDecoder?: ToolDecoder | undefined;
  /** Lets the encoder reuse the memory of `body`. */
  readonly freeBody?: (() => void) | undefined;
  /** The paths of a reply in the background; absent for a reply that ends with its connection. */
  readonly background?: BackgroundPaths | undefined;
  /** The media type of the requested audio; absent if none is requested. */
  readonly audioType?: string | undefined;
}

/** What the settings of any wire hold. @internal */
export interface BaseSettings {
  /** Scheme, host and port of the API. */
  readonly origin: string;
  /** Returns the header that carries a token. */
  readonly authorize: (token: string) => Readonly<Record<string, string>>;
  /** The vendor's own tools, if its API has some. */
  readonly serverTools?: ServerTools;
}

/** A wire: everything that is specific to a vendor's API. @internal */
export interface Wire<Config extends CommonConfig, Settings extends BaseSettings> {
  /** Checks a config and fills in the vendor's defaults. Throws `CONFIG_INVALID`. */
  readonly resolve: (config: Config) => Settings;
  /** Returns the headers that the vendor requires in every request. */
  readonly headers?: (settings: Settings) => Readonly<Record<string, string>>;
  /** Creates what turns requests into the vendor's JSON; called once per provider. */
  readonly createEncoder: (settings: Settings) => (request: ProviderRequest) => EncodedRequest;
  /** Creates what turns the bytes of one reply into events. */
  readonly createDecoder: (context: DecoderContext, headers: ResponseHeaders) => ReplyDecoder;
  /** Creates the signer of requests that have no token. */
  readonly createSigner?: (config: Config, settings: Settings, redactor: Redactor) => Signer | undefined;
  /** How a model is best constrained to a schema. */
  readonly structuredOutput: (settings: Settings, model: string) => StructuredOutput;
  /** How the vendor counts tokens, if it does. */
  readonly tokenCounter?: TokenCounter<Settings>;
  /** Sends an embedding request. */
  readonly embed?: (context: WireContext, settings: Settings, request: EmbedRequest) => Promise<EmbedResult>;
  /** Sends a transcription request. */
  readonly transcribe?: (context: WireContext, settings: Settings, request: TranscribeRequest) => Promise<Transcript>;
}

/** Resolves a config and creates the context of its requests. @internal */
export function openWire<Config extends CommonConfig, Settings extends BaseSettings>(
  { createSigner, headers, resolve }: Wire<Config, Settings>,
  config: Config,
): { readonly settings: Settings; readonly context: WireContext } {
  const settings = resolve(config);
  const context = createWireContext(config, {
    origin: settings.origin,
    authorize: settings.authorize,
    headers: headers?.(settings),
    secrets: settings.serverTools?.secrets,
    createSigner: createSigner && ((redactor) => createSigner(config, settings, redactor)),
  });
  return { settings, context };
}

/** Creates a provider over a wire. Never retries; nothing is encoded or sent before the first `next()` of a stream. @internal */
export function wireProvider<Config extends CommonConfig, Settings extends BaseSettings>(
  wire: Wire<Config, Settings>,
  config: Config,
): Provider {
  const { embed, tokenCounter, transcribe } = wire;
  const { name } = config;
  const { settings, context } = openWire(wire, config);
  const encode = wire.createEncoder(settings);
  const { client, limits, redactor, timeouts } = context;

  return {
    name,
    structuredOutput: (model) => wire.structuredOutput(settings, model),
    stream: (request) =>
      createWireStream(client, redactor, request.signal, () => {
        const encoded = encode(request);
        const {
          accept,
          audioType,
          background,
          body,
          freeBody,
          path,
          toolDecoder = IDENTITY_TOOL_DECODER,
          warnings,
        } = encoded;
        const { model } = request;
        const streams = request.stream !== false;
        const { lineLength } = limits;
        return {
          request: { path, contentType: 'application/json', accept, body },
          freeBody,
          background:
            background === undefined
              ? undefined
              : {
                  provider: name,
                  idleMs: timeouts.idleMs,
                  totalMs: timeouts.totalMs,
                  responseBytes: limits.responseBytes,
                },
          createDecoder: (emit, responseHeaders) =>
            wire.createDecoder(
              { name, model, streams, redactor, warnings, emit, toolDecoder, lineLength, background, audioType },
              responseHeaders,
            ),
        };
      }),
    ...(tokenCounter === undefined
      ? {}
      : {
          countTokens: async (request) =>
            countTokens(context, {
              provider: name,
              settings,
              counter: tokenCounter,
              request,
              encoded: encode({ ...request, stream: false }),
            }),
        }),
    ...(embed === undefined ? {} : { embed: (request) => embed(context, settings, request) }),
    ...(transcribe === undefined ? {} : { transcribe: (request) => transcribe(context, settings, request) }),
  };
}
