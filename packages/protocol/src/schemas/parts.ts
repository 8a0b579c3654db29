import * as z from 'zod';
import type { JsonObject, JsonValue } from '../json.ts';
import { frozen, frozenList } from './frozen.ts';

/** Any JSON value. */
export const jsonValueSchema: z.ZodType<JsonValue> = z.lazy(() =>
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(jsonValueSchema),
    z.record(z.string(), jsonValueSchema),
  ]),
);

/** A JSON object. */
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), jsonValueSchema);

/** `ToolCall`. */
export const toolCallSchema = frozen({
  type: z.literal('tool-call'),
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  providerData: jsonValueSchema.exactOptional(),
});

/** `Source`. */
export const sourceSchema = frozen({
  url: z.string().exactOptional(),
  title: z.string().exactOptional(),
  document: z.string().exactOptional(),
});

/** `Citation`. */
export const citationSchema = frozen({
  ...sourceSchema.unwrap().shape,
  quote: z.string().exactOptional(),
  span: frozen({ start: z.number(), end: z.number() }).exactOptional(),
});

/** `TextPart`. */
export const textPartSchema = frozen({
  type: z.literal('text'),
  text: z.string(),
  citations: frozenList(citationSchema).exactOptional(),
  providerData: jsonValueSchema.exactOptional(),
});

/** `MediaPart`. */
export const mediaPartSchema = frozen({
  type: z.enum(['image', 'audio', 'file']),
  mimeType: z.string(),
  data: z.string().exactOptional(),
  url: z.string().exactOptional(),
  id: z.string().exactOptional(),
  name: z.string().exactOptional(),
  transcript: z.string().exactOptional(),
  providerData: jsonValueSchema.exactOptional(),
});

/** `ReasoningPart`. */
export const reasoningPartSchema = frozen({
  type: z.literal('reasoning'),
  text: z.string(),
  providerData: jsonValueSchema.exactOptional(),
});

/** `OpaquePart`. */
export const opaquePartSchema = frozen({ type: z.literal('opaque'), kind: z.string(), providerData: jsonValueSchema });

/** `ServerToolCall`. */
export const serverToolCallSchema = frozen({
  type: z.literal('server-tool-call'),
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  providerData: jsonValueSchema.exactOptional(),
});

/** `ServerToolResult`. */
export const serverToolResultSchema = frozen({
  type: z.literal('server-tool-result'),
  callId: z.string(),
  name: z.string(),
  text: z.string(),
  sources: frozenList(sourceSchema).exactOptional(),
  isError: z.boolean().exactOptional(),
  providerData: jsonValueSchema.exactOptional(),
});
