import type { JsonValue, ToolContext, ToolResult } from '@kernel/protocol';
import type { InputOf, RawArguments, StandardSchemaWithJson } from '@kernel/schema';

/** What the compiler knows about one tool. Nothing of it exists at run time. */
export interface ToolTypes<
  Name extends string = string,
  Input = Exclude<RawArguments, string>,
  Data = unknown,
  Context = never,
> {
  /** The tool's name. */
  readonly name: Name;
  /** The arguments as a caller passes them: those with a default are optional. */
  readonly input: Input;
  /** The `data` of a successful result; `unknown` means any JSON. */
  readonly data: Data;
  /** Takes the `context` that the tool needs. A function, so that several tools together need all of their contexts. */
  readonly needs: (context: Context) => void;
}

/** What a handler gets besides its input: with a context type, `context` is there. */
export type HandlerContext<Context> = unknown extends Context
  ? ToolContext
  : ToolContext<Context> & { readonly context: Context };

/** What a handler may return: anything, or with an output schema `O` what it accepts, alone or as the `data` of a result. */
export type HandlerResult<O extends StandardSchemaWithJson> = [O] extends [never]
  ? unknown
  : Returned<InputOf<O>> | PromiseLike<Returned<InputOf<O>>> | AsyncGenerator<unknown, Returned<InputOf<O>>>;

type Returned<Data> = Data | ToolResult<Data>;

/** The arguments of a schema as a caller passes them. */
export type ArgumentsOf<S extends StandardSchemaWithJson> = unknown extends InputOf<S> ? object : InputOf<S>;

/** The `data` of a result with an output schema `O`; `unknown` without one. */
export type DataOf<O extends StandardSchemaWithJson> = [O] extends [never] ? unknown : JsonOf<InputOf<O>>;

/** A value as it is after JSON: an optional property is absent rather than `undefined`, and a date is text. */
type JsonOf<T> = unknown extends T
  ? JsonValue
  : T extends JsonValue
    ? T
    : T extends Date
      ? string
      : { [Key in keyof T]: JsonOf<Exclude<T[Key], undefined>> };

export type ResultOf<Tool extends ToolTypes> = unknown extends Tool['data'] ? ToolResult : ToolResult<Tool['data']>;

/** Tools by name. */
export interface NamedTools {
  readonly [name: string]: ToolTypes;
}

/** The context that all of these tools together need; `unknown` if they need none. */
export type ContextOf<Tools extends ToolTypes> = Tools['needs'] extends (context: infer Context) => void
  ? [Context] extends [never]
    ? unknown
    : Context
  : unknown;
