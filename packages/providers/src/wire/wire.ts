import type { Provider, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import type { Client } from './wire-context.ts';
import type { ReplyContext } from './message-builder.ts';
import type { HttpHeaders } from '../http/request.ts';
import { createWireStream, type ReplyDecoder } from '../stream/wire-stream.ts';
import { PLAIN_CODEC, type ToolCodec } from './tool-encoder.ts';

/** A request in a wire's terms. @internal */
export interface EncodedRequest {
  readonly path: string;
  readonly body: string | Uint8Array;
  readonly accept: string;
  readonly warnings: readonly ProviderWarning[];
  readonly codec?: ToolCodec | undefined;
  /** The ids of all calls in the messages, where the encoder knows them. */
  readonly callIds?: ReadonlySet<string> | undefined;
  /** Lets the encoder write the bytes of `body` anew. */
  readonly freeBody?: (() => void) | undefined;
}

/** The two halves of a wire: all that a new one has to bring. @internal */
export interface Wire {
  readonly name: string;
  readonly client: Client;
  readonly encode: (request: ProviderRequest) => EncodedRequest;
  readonly decode: (context: ReplyContext, headers: HttpHeaders) => ReplyDecoder;
}

/** Creates the `stream` of a wire. Nothing is encoded or sent before the first `next()`. @internal */
export function streamOf({ client, decode, encode, name }: Wire): Provider['stream'] {
  return (request) =>
    createWireStream(client.caller, client.redactor, request.signal, () => {
      const { accept, body, callIds, codec = PLAIN_CODEC, freeBody, path, warnings } = encode(request);
      const { redactor } = client;
      const { lineLength } = client.limits;
      const { messages: history, model } = request;
      return {
        call: { path, contentType: 'application/json', accept, body },
        freeBody,
        decoder: (emit, headers) =>
          decode({ name, model, redactor, warnings, emit, history, callIds, codec, lineLength }, headers),
      };
    });
}
