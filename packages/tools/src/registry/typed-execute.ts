import type { ContextOf, ToolTypes } from '../tool/tool-types.ts';
import type { ExecuteOptions } from './options.ts';

/** A name that only the running program knows, such as one from a model: of type `string`, and no literal. */
export type DynamicName<Name extends string> = string extends Name ? Name : never;

/** What `execute` takes after the name of a tool: arguments unless it has no required ones, and options with the context that it needs. */
export type ExecuteArguments<Tool extends ToolTypes> =
  unknown extends ContextOf<Tool>
    ? object extends Tool['input']
      ? [args?: string | Tool['input'], options?: ExecuteOptions]
      : [args: string | Tool['input'], options?: ExecuteOptions]
    : [args: string | Tool['input'], options: ExecuteOptions & { readonly context: ContextOf<Tool> }];
