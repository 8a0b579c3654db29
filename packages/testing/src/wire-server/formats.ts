import { anthropicFormat } from './wires/anthropic.ts';
import { bedrockFormat } from './wires/bedrock.ts';
import type { WireBytes } from './deliver.ts';
import { asFields } from './check-fields.ts';
import { geminiFormat } from './wires/gemini.ts';
import { ollamaFormat } from './wires/ollama.ts';
import { chatFormat } from './wires/openai.ts';
import { isRawReply, type RawReply, type WireReply } from './reply.ts';
import { responsesFormat } from './wires/responses.ts';
import { pathnameOf, type WireFormat, type WireName } from './wire-format.ts';

const FORMATS: readonly WireFormat[] = [
  chatFormat,
  responsesFormat,
  anthropicFormat,
  geminiFormat,
  ollamaFormat,
  bedrockFormat,
];

/** One request as the server received it. */
export interface RecordedRequest {
  /** The HTTP method. */
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The request headers, in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as sent. */
  readonly bytes: Uint8Array;
  /** The parsed JSON body; `undefined` if it is not valid JSON. */
  readonly body: unknown;
  /** What a strict vendor would refuse; empty if nothing. */
  readonly problems: readonly string[];
}

/** The format of the wire that a path belongs to; chat completions for an unknown path. */
function formatOf(path: string): WireFormat {
  const pathname = pathnameOf(path);
  return FORMATS.find((format) => format.matches(pathname)) ?? chatFormat;
}

/** Whether a path belongs to a wire. Azure uses those of chat completions under a deployment. */
export function isPathOf(wire: WireName, path: string): boolean {
  const pathname = pathnameOf(path);
  const { name } = formatOf(path);
  return wire === 'azure' ? name === 'openai' && pathname.includes('/deployments/') : name === wire;
}

/** Returns what a strict vendor of the path's wire would refuse. */
export function checkRequest(path: string, body: unknown): readonly string[] {
  return formatOf(path).check(body, pathnameOf(path));
}

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

export function refusal(path: string, status: number, message: string): WireBytes {
  return formatOf(path).refuse(status, message);
}
