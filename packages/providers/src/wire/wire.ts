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

export interface EncodedRequest {
  /** Begins with a slash; may have a query. */
  readonly path: string;
  readonly body: string | Uint8Array;
  readonly accept: string;
  readonly warnings: readonly ProviderWarning[];
  /** Absent: there are no tools. */
  readonly toolDecoder?: ToolDecoder | undefined;
  /** Lets the encoder reuse the memory of `body`. */
  readonly freeBody?: (() => void) | undefined;
  /** Absent for a reply that ends with its connection. */
  readonly background?: BackgroundPaths | undefined;
  readonly audioType?: string | undefined;
}

export interface BaseSettings {
  readonly origin: string;
  readonly authorize: (token: string) => Readonly<Record<string, string>>;
  readonly serverTools?: ServerTools;
}

export interface Wire<Config extends CommonConfig, Settings extends BaseSettings> {
  /** Checks a config and fills in the vendor's defaults. */
  readonly resolve: (config: Config) => Settings;
  /** Those that the vendor requires in every request. */
  readonly headers?: (settings: Settings) => Readonly<Record<string, string>>;
  /** Called once per provider. */
  readonly createEncoder: (settings: Settings) => (request: ProviderRequest) => EncodedRequest;
  readonly createDecoder: (context: DecoderContext, headers: ResponseHeaders) => ReplyDecoder;
  readonly createSigner?: (config: Config, settings: Settings, redactor: Redactor) => Signer | undefined;
  readonly structuredOutput: (settings: Settings, model: string) => StructuredOutput;
  readonly tokenCounter?: TokenCounter<Settings>;
  readonly embed?: (context: WireContext, settings: Settings, request: EmbedRequest) => Promise<EmbedResult>;
  readonly transcribe?: (context: WireContext, settings: Settings, request: TranscribeRequest) => Promise<Transcript>;
}

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

/** Never retries; nothing is encoded or sent before the first `next()` of a stream. */
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
