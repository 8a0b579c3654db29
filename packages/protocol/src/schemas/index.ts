/**
 * Zod schemas of the protocol, for files and JSON that come from outside. This is the only module of the package that loads zod
 * (an optional peer). Type tests prove that each equals its type. Parsed values are frozen at every level.
 */
import * as z from 'zod';
import type { JsonSchema } from '../json.ts';
import { KERNEL_ERROR_CODES } from '../error.ts';
import { FINISH_REASONS, type FinishReason } from '../finish-reason.ts';
import { TOOL_OUTCOMES } from '../result.ts';
import { frozen, frozenList } from './frozen.ts';
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
export const toolExampleSchema = frozen({
  description: z.string(),
  input: jsonObjectSchema,
  output: z.string().exactOptional(),
});

/** `ToolMetadata`. */
export const toolMetadataSchema = frozen({
  category: z.string().exactOptional(),
  optionality: z.enum(['required', 'optional', 'conditional']).exactOptional(),
  usageHint: z.string().exactOptional(),
  examples: frozenList(toolExampleSchema).exactOptional(),
  requires: frozenList(z.string()).exactOptional(),
  tags: frozenList(z.string()).exactOptional(),
});

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
export const toolSchema = frozen({
  name: z.string(),
  description: z.string(),
  parameters: jsonSchemaSchema,
  title: z.string().exactOptional(),
  outputSchema: jsonSchemaSchema.exactOptional(),
  strict: z.boolean().exactOptional(),
  effect: z.enum(['read', 'idempotent', 'write', 'external']).exactOptional(),
  metadata: toolMetadataSchema.exactOptional(),
});

const assistantContent = frozenList(
  z.union([
    textPartSchema,
    mediaPartSchema,
    reasoningPartSchema,
    toolCallSchema,
    serverToolCallSchema,
    serverToolResultSchema,
    opaquePartSchema,
  ]),
);
const textOrParts = z.union([z.string(), frozenList(z.union([textPartSchema, mediaPartSchema]))]);

const keptDecision = z.union([
  frozen({ decision: z.literal('allow') }),
  frozen({ decision: z.literal('deny'), reason: z.string() }),
  frozen({ decision: z.literal('edit'), arguments: z.string() }),
]);
const suspendedAgent = frozen({ name: z.string(), task: z.string(), messages: frozenList(jsonValueSchema) });
const suspendedCall = frozen({
  callId: z.string(),
  decision: keptDecision.exactOptional(),
  digest: z.string().exactOptional(),
  wasPending: z.boolean().exactOptional(),
  agents: frozenList(suspendedAgent).exactOptional(),
});

const assistantMessage = frozen({
  role: z.literal('assistant'),
  content: assistantContent,
  provider: frozen({ vendor: z.string(), model: z.string() }).exactOptional(),
  suspended: frozenList(suspendedCall).exactOptional(),
});

/** `Message`, a union on `role`. */
export const messageSchema = z.discriminatedUnion('role', [
  frozen({ role: z.literal('system'), content: z.string() }),
  frozen({ role: z.literal('user'), content: textOrParts }),
  assistantMessage,
  frozen({
    role: z.literal('tool'),
    toolCallId: z.string(),
    name: z.string(),
    content: textOrParts,
    isError: z.boolean().exactOptional(),
  }),
]);

/** `FinishReason`. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
export const finishReasonSchema = z.enum(Object.keys(FINISH_REASONS) as readonly FinishReason[]);

/** `Usage`. */
export const usageSchema = frozen({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number().exactOptional(),
  cacheWriteTokens: z.number().exactOptional(),
  reasoningTokens: z.number().exactOptional(),
  serverToolCalls: z.record(z.string(), z.number()).readonly().exactOptional(),
});

/** The JSON form of a `ToolResult`, as `toResultJson` writes it: all of it except `error`. */
export const toolResultSchema = frozen({
  forLLM: z.string(),
  forUser: z.string().exactOptional(),
  silent: z.boolean().exactOptional(),
  isError: z.boolean().exactOptional(),
  code: z.enum(KERNEL_ERROR_CODES).exactOptional(),
  async: z.boolean().exactOptional(),
  data: jsonValueSchema.exactOptional(),
  media: frozenList(mediaPartSchema).exactOptional(),
  outcome: z.enum(TOOL_OUTCOMES).exactOptional(),
  repairs: frozenList(
    frozen({ path: z.string(), from: jsonValueSchema, to: jsonValueSchema, rule: z.string() }),
  ).exactOptional(),
});

/** `ProviderEvent`, a union on `type`. */
export const providerEventSchema = z.discriminatedUnion('type', [
  frozen({ type: z.literal('text-delta'), text: z.string() }),
  frozen({ type: z.literal('audio-delta'), data: z.string(), mimeType: z.string() }),
  frozen({ type: z.literal('citation'), citation: citationSchema }),
  frozen({ type: z.literal('reasoning-delta'), text: z.string() }),
  serverToolCallSchema,
  serverToolResultSchema,
  frozen({
    type: z.literal('tool-call-delta'),
    index: z.number(),
    id: z.string().exactOptional(),
    name: z.string().exactOptional(),
    arguments: z.string(),
  }),
  frozen({ type: z.literal('reply-withdrawn'), code: z.enum(KERNEL_ERROR_CODES), message: z.string() }),
  frozen({
    type: z.literal('message-end'),
    message: assistantMessage,
    finishReason: finishReasonSchema,
    usage: usageSchema.exactOptional(),
    droppedCalls: frozenList(
      frozen({ id: z.string(), name: z.string(), arguments: z.string(), reason: finishReasonSchema }),
    ).exactOptional(),
    warnings: frozenList(
      frozen({ message: z.string(), tool: z.string().exactOptional(), path: z.string().exactOptional() }),
    ).exactOptional(),
  }),
]);
