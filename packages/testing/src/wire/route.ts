import { anthropicFormat } from './anthropic.ts';
import { bedrockFormat } from './bedrock.ts';
import type { WireBytes } from './deliver.ts';
import { asFields } from './fields.ts';
import { geminiFormat } from './gemini.ts';
import { ollamaFormat } from './ollama.ts';
import { chatFormat } from './openai.ts';
import type { RawReply, WireReply } from './reply.ts';
import { isRawReply } from './reply.ts';
import { responsesFormat } from './responses.ts';
import { pathnameOf, type WireFormat, type WireName } from './spell.ts';

const FORMATS: readonly WireFormat[] = [
  chatFormat,
  responsesFormat,
  anthropicFormat,
  geminiFormat,
  ollamaFormat,
  bedrockFormat,
];

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

/** The format of the wire that a path belongs to; that of chat completions for a path of none. */
function formatOf(path: string): WireFormat {
  const pathname = pathnameOf(path);
  return FORMATS.find((format) => format.matches(pathname)) ?? chatFormat;
}

/** Says whether a path belongs to a wire. Azure's are those of chat completions under a deployment. */
export function isPathOf(wire: WireName, path: string): boolean {
  const pathname = pathnameOf(path);
  const { name } = formatOf(path);
  return wire === 'azure' ? name === 'openai' && pathname.includes('/deployments/') : name === wire;
}

/** Finds what a strict vendor of the path's wire would refuse. */
export function checkRequest(path: string, body: unknown): readonly string[] {
  return formatOf(path).check(body, pathnameOf(path));
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
  return formatOf(request.path).write(reply, asFields(request.body) ?? {}, pathnameOf(request.path));
}

/** A refusal in the terms of the path's wire. */
export function refusal(path: string, status: number, message: string): WireBytes {
  return formatOf(path).refuse(status, message);
}
