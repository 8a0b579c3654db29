import type { JsonValue } from './json.ts';

/**
 * Settings of one model call that every wire translates. They may also be spelled in snake_case. Any other key goes to the root of the request
 * body as it is. `0` and `false` are kept; `null` unsets a default of the provider.
 */
export interface ModelOptions {
  /** The maximum number of tokens of the reply, its reasoning included. */
  readonly maxTokens?: number | null | undefined;
  /** The sampling temperature: 0 for the likeliest token each time. */
  readonly temperature?: number | null | undefined;
  /** The probability mass for nucleus sampling, from 0 to 1. */
  readonly topP?: number | null | undefined;
  /** How much a reasoning model may think. A value that the model does not accept is sent as the nearest one that it does, with a warning. */
  readonly reasoningEffort?:
    | 'none'
    | 'minimal'
    | 'low'
    | 'medium'
    | 'high'
    | 'xhigh'
    | 'max'
    | (string & {})
    | null
    | undefined;
  /** Text at which the reply stops. */
  readonly stop?: string | readonly string[] | null | undefined;
  /** The seed for sampling, where the vendor has one. */
  readonly seed?: number | null | undefined;
  /** False asks for at most one tool call per reply. */
  readonly parallelToolCalls?: boolean | null | undefined;
  /** How images are read. */
  readonly visionOptions?:
    | {
        /** How closely images are looked at: `high` costs more tokens than `low`; `auto` leaves it to the vendor. */
        readonly detail: 'auto' | 'low' | 'high' | (string & {});
      }
    | null
    | undefined;
  /** A field of the vendor's own, under the vendor's name. */
  readonly [name: string]: JsonValue | undefined;
}
