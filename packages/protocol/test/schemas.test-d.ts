import type * as z from 'zod';
import type {
  JsonObject,
  JsonSchema,
  JsonValue,
  MediaPart,
  Message,
  OpaquePart,
  ProviderEvent,
  ReasoningPart,
  TextPart,
  Tool,
  ToolCall,
  ToolExample,
  ToolMetadata,
  ToolResultJson,
  FinishReason,
  Usage,
} from '../src/index.ts';
import type * as schemas from '../src/schemas/index.ts';

// Every schema is equal to its type: not only assignable both ways, but with the same readonly and optional members.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- deferred conditional types are compared by identity
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Inferred<K extends keyof typeof schemas> = z.infer<(typeof schemas)[K]>;
/** Flattens interfaces and intersections to one object type, so that equality compares members. */
type Flat<T> = T extends readonly (infer E)[] ? readonly Flat<E>[] : T extends object ? { [K in keyof T]: T[K] } : T;

const equal = <A, B>(_proof: Equal<Flat<A>, Flat<B>>): void => {};

equal<Inferred<'jsonValueSchema'>, JsonValue>(true);
equal<Inferred<'jsonObjectSchema'>, JsonObject>(true);
equal<Inferred<'jsonSchemaSchema'>, JsonSchema>(true);
equal<Inferred<'toolExampleSchema'>, ToolExample>(true);
equal<Inferred<'toolMetadataSchema'>, ToolMetadata>(true);
equal<Inferred<'toolSchema'>, Tool>(true);
equal<Inferred<'toolCallSchema'>, ToolCall>(true);
equal<Inferred<'textPartSchema'>, TextPart>(true);
equal<Inferred<'mediaPartSchema'>, MediaPart>(true);
equal<Inferred<'reasoningPartSchema'>, ReasoningPart>(true);
equal<Inferred<'opaquePartSchema'>, OpaquePart>(true);
equal<Inferred<'messageSchema'>, Message>(true);
equal<Inferred<'finishReasonSchema'>, FinishReason>(true);
equal<Inferred<'usageSchema'>, Usage>(true);
equal<Inferred<'toolResultSchema'>, ToolResultJson>(true);
equal<Inferred<'providerEventSchema'>, ProviderEvent>(true);

// The proof can fail: a type with one member less, and one that differs in optionality alone.
// @ts-expect-error -- `strict` is missing
equal<Inferred<'toolSchema'>, Omit<Tool, 'strict'>>(true);
// @ts-expect-error -- `title?: string | undefined` is not `title?: string`
equal<Inferred<'toolSchema'>, Omit<Tool, 'title'> & { readonly title?: string | undefined }>(true);
