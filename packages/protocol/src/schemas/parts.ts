import * as z from 'zod';
import type { JsonObject, JsonValue } from '../json.ts';

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
export const toolCallSchema = z
  .strictObject({
    type: z.literal('tool-call'),
    id: z.string(),
    name: z.string(),
    arguments: z.string(),
    providerData: jsonValueSchema.exactOptional(),
  })
  .readonly();

/** `Source`. */
export const sourceSchema = z
  .strictObject({
    url: z.string().exactOptional(),
    title: z.string().exactOptional(),
    document: z.string().exactOptional(),
  })
  .readonly();

/** `Citation`. */
export const citationSchema = z
  .strictObject({
    ...sourceSchema.unwrap().shape,
    quote: z.string().exactOptional(),
    span: z.strictObject({ start: z.number(), end: z.number() }).readonly().exactOptional(),
  })
  .readonly();

/** `TextPart`. */
export const textPartSchema = z
  .strictObject({
    type: z.literal('text'),
    text: z.string(),
    citations: z.array(citationSchema).readonly().exactOptional(),
    providerData: jsonValueSchema.exactOptional(),
  })
  .readonly();

/** `MediaPart`. */
export const mediaPartSchema = z
  .strictObject({
    type: z.enum(['image', 'audio', 'file']),
    mimeType: z.string(),
    data: z.string().exactOptional(),
    url: z.string().exactOptional(),
    id: z.string().exactOptional(),
    name: z.string().exactOptional(),
    transcript: z.string().exactOptional(),
    providerData: jsonValueSchema.exactOptional(),
  })
  .readonly();

/** `ReasoningPart`. */
export const reasoningPartSchema = z
  .strictObject({ type: z.literal('reasoning'), text: z.string(), providerData: jsonValueSchema.exactOptional() })
  .readonly();

/** `OpaquePart`. */
export const opaquePartSchema = z
  .strictObject({ type: z.literal('opaque'), kind: z.string(), providerData: jsonValueSchema })
  .readonly();

/** `ServerToolCall`. */
export const serverToolCallSchema = z
  .strictObject({
    type: z.literal('server-tool-call'),
    id: z.string(),
    name: z.string(),
    arguments: z.string(),
    providerData: jsonValueSchema.exactOptional(),
  })
  .readonly();

/** `ServerToolResult`. */
export const serverToolResultSchema = z
  .strictObject({
    type: z.literal('server-tool-result'),
    callId: z.string(),
    name: z.string(),
    text: z.string(),
    sources: z.array(sourceSchema).readonly().exactOptional(),
    isError: z.boolean().exactOptional(),
    providerData: jsonValueSchema.exactOptional(),
  })
  .readonly();
