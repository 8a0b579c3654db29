/**
 * Zod schemas of the protocol, for files and JSON that come from outside. This is the only module of the package that loads zod
 * (an optional peer). Type tests prove that each equals its type. Parsed values are frozen at every level.
 */
import * as z from 'zod';
import type { JsonSchema } from '../json.ts';
import { KERNEL_ERROR_CODES } from '../error.ts';
import { TOOL_OUTCOMES } from '../result.ts';
import {
  citationSchema,
  jsonObjectSchema,
  jsonValueSchema,
  mediaPartSchema,
  opaquePartSchema,
  reasoningPartSchema,
  serverToolCallSchema,
  serverToolResultSchema,
  textPartSchema,
  toolCallSchema,
} from './parts.ts';

export * from './parts.ts';

/** A JSON Schema as plain data. `@kernel/tools` checks its keywords when a tool is bound. */
export const jsonSchemaSchema: z.ZodType<JsonSchema> = z.record(z.string(), z.unknown());

/** `ToolExample`. */
export const toolExampleSchema = z
  .strictObject({ description: z.string(), input: jsonObjectSchema, output: z.string().exactOptional() })
  .readonly();

/** `ToolMetadata`. */
export const toolMetadataSchema = z
  .strictObject({
    category: z.string().exactOptional(),
    optionality: z.enum(['required', 'optional', 'conditional']).exactOptional(),
    usageHint: z.string().exactOptional(),
    examples: z.array(toolExampleSchema).readonly().exactOptional(),
    requires: z.array(z.string()).readonly().exactOptional(),
    tags: z.array(z.string()).readonly().exactOptional(),
  })
  .readonly();

/**
 * `Tool`. Read a JSON array of tools with `toolSchema.array().parse(…)`; a key that `Tool` does not have is refused.
 *
 * @example
 * ```ts
 * import { toolSchema } from '@kernel/protocol/schemas';
 *
 * const tool = toolSchema.parse(JSON.parse('{"name":"clock","description":"Tells the time.","parameters":{"type":"object"}}'));
 * ```
 */
export const toolSchema = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    parameters: jsonSchemaSchema,
    title: z.string().exactOptional(),
    outputSchema: jsonSchemaSchema.exactOptional(),
    strict: z.boolean().exactOptional(),
    effect: z.enum(['read', 'idempotent', 'write', 'external']).exactOptional(),
    metadata: toolMetadataSchema.exactOptional(),
  })
  .readonly();

const assistantContent = z
  .array(
    z.union([
      textPartSchema,
      mediaPartSchema,
      reasoningPartSchema,
      toolCallSchema,
      serverToolCallSchema,
      serverToolResultSchema,
      opaquePartSchema,
    ]),
  )
  .readonly();
const textOrParts = z.union([z.string(), z.array(z.union([textPartSchema, mediaPartSchema])).readonly()]);

const keptDecision = z.union([
  z.strictObject({ decision: z.literal('allow') }).readonly(),
  z.strictObject({ decision: z.literal('deny'), reason: z.string() }).readonly(),
  z.strictObject({ decision: z.literal('edit'), arguments: z.string() }).readonly(),
]);
const suspendedAgent = z
  .strictObject({ name: z.string(), task: z.string(), messages: z.array(jsonValueSchema).readonly() })
  .readonly();
const suspendedCall = z
  .strictObject({
    callId: z.string(),
    decision: keptDecision.exactOptional(),
    digest: z.string().exactOptional(),
    wasPending: z.boolean().exactOptional(),
    agents: z.array(suspendedAgent).readonly().exactOptional(),
  })
  .readonly();

/** `Message`, a union on `role`. */
export const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }).readonly(),
  z.strictObject({ role: z.literal('user'), content: textOrParts }).readonly(),
  z
    .strictObject({
      role: z.literal('assistant'),
      content: assistantContent,
      provider: z.strictObject({ vendor: z.string(), model: z.string() }).readonly().exactOptional(),
      suspended: z.array(suspendedCall).readonly().exactOptional(),
    })
    .readonly(),
  z
    .strictObject({
      role: z.literal('tool'),
      toolCallId: z.string(),
      name: z.string(),
      content: textOrParts,
      isError: z.boolean().exactOptional(),
    })
    .readonly(),
]);

/** `FinishReason`. */
export const finishReasonSchema = z.enum(['stop', 'tool-calls', 'paused', 'length', 'filter', 'refusal', 'other']);

/** `Usage`. */
export const usageSchema = z
  .strictObject({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cachedInputTokens: z.number().exactOptional(),
    cacheWriteTokens: z.number().exactOptional(),
    reasoningTokens: z.number().exactOptional(),
    serverToolCalls: z.record(z.string(), z.number()).readonly().exactOptional(),
  })
  .readonly();

/** The JSON form of a `ToolResult`, as `toResultJson` writes it: all of it except `error`. */
export const toolResultSchema = z
  .strictObject({
    forLLM: z.string(),
    forUser: z.string().exactOptional(),
    silent: z.boolean().exactOptional(),
    isError: z.boolean().exactOptional(),
    code: z.enum(KERNEL_ERROR_CODES).exactOptional(),
    async: z.boolean().exactOptional(),
    data: jsonValueSchema.exactOptional(),
    media: z.array(mediaPartSchema).readonly().exactOptional(),
    outcome: z.enum(TOOL_OUTCOMES).exactOptional(),
    repairs: z
      .array(
        z.strictObject({ path: z.string(), from: jsonValueSchema, to: jsonValueSchema, rule: z.string() }).readonly(),
      )
      .readonly()
      .exactOptional(),
  })
  .readonly();

/** `ProviderEvent`, a union on `type`. */
export const providerEventSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text-delta'), text: z.string() }).readonly(),
  z.strictObject({ type: z.literal('audio-delta'), data: z.string(), mimeType: z.string() }).readonly(),
  z.strictObject({ type: z.literal('citation'), citation: citationSchema }).readonly(),
  z.strictObject({ type: z.literal('reasoning-delta'), text: z.string() }).readonly(),
  serverToolCallSchema,
  serverToolResultSchema,
  z
    .strictObject({
      type: z.literal('tool-call-delta'),
      index: z.number(),
      id: z.string().exactOptional(),
      name: z.string().exactOptional(),
      arguments: z.string(),
    })
    .readonly(),
  z
    .strictObject({ type: z.literal('reply-withdrawn'), code: z.enum(KERNEL_ERROR_CODES), message: z.string() })
    .readonly(),
  z
    .strictObject({
      type: z.literal('message-end'),
      message: z
        .strictObject({
          role: z.literal('assistant'),
          content: assistantContent,
          provider: z.strictObject({ vendor: z.string(), model: z.string() }).readonly().exactOptional(),
          suspended: z.array(suspendedCall).readonly().exactOptional(),
        })
        .readonly(),
      finishReason: finishReasonSchema,
      usage: usageSchema.exactOptional(),
      droppedCalls: z
        .array(
          z
            .strictObject({ id: z.string(), name: z.string(), arguments: z.string(), reason: finishReasonSchema })
            .readonly(),
        )
        .readonly()
        .exactOptional(),
      warnings: z
        .array(
          z
            .strictObject({ message: z.string(), tool: z.string().exactOptional(), path: z.string().exactOptional() })
            .readonly(),
        )
        .readonly()
        .exactOptional(),
    })
    .readonly(),
]);
