import type { WireBytes } from './deliver.ts';
import { toChatBytes } from './openai.ts';
import { asFields, checkChatRequest, type Fields } from './openai-check.ts';
import type { RawReply, WireReply } from './reply.ts';
import { isRawReply } from './reply.ts';

/** One request as the server saw it. */
export interface RecordedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as sent. */
  readonly bytes: Uint8Array;
  /** The parsed JSON body; nothing when it is no JSON. */
  readonly body: unknown;
  /** What the strict checks found; empty when all is well. */
  readonly problems: readonly string[];
}

/** Finds what is wrong with a request; only chat completions are checked. */
export function checkRequest(path: string, body: unknown): readonly string[] {
  return pathname(path).endsWith('/chat/completions') ? checkChatRequest(body) : [];
}

/** Writes a scripted reply in the terms of the endpoint that was called. */
export function toBytes(reply: WireReply | RawReply, request: RecordedRequest): WireBytes {
  if (isRawReply(reply)) {
    return {
      status: reply.status ?? 200,
      headers: reply.headers ?? { 'content-type': 'text/event-stream' },
      chunks: reply.chunks,
    };
  }
  const body = asFields(request.body) ?? {};
  const path = pathname(request.path);
  if (path.endsWith('/embeddings')) return json(embeddings(body));
  if (path.endsWith('/audio/transcriptions')) return json({ text: reply.text ?? '' });
  if (path.endsWith('/models')) return json({ object: 'list', data: [{ id: 'wire-model', object: 'model' }] });
  const options = body['stream_options'];
  return toChatBytes(reply, {
    model: typeof body['model'] === 'string' ? body['model'] : 'wire-model',
    stream: body['stream'] === true,
    usage:
      typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true,
  });
}

/** A JSON response of the OpenAI kind for a request that is refused. */
export function refusal(status: number, message: string): WireBytes {
  return { ...json({ error: { message, type: 'invalid_request_error', code: null } }), status };
}

function embeddings(body: Fields): object {
  const inputs = [body['input']].flat();
  // In reverse order, as the index is what counts.
  const data = inputs.map((text, index) => ({ object: 'embedding', index, embedding: [String(text).length, index] }));
  return {
    object: 'list',
    data: data.toReversed(),
    usage: { prompt_tokens: inputs.length, total_tokens: inputs.length },
  };
}

function json(body: object): WireBytes {
  return { status: 200, headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(body)] };
}

function pathname(path: string): string {
  return path.split('?', 1)[0] ?? path;
}
