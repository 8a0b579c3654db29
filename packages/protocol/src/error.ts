import { isObject } from '@kernel/internal';
import type { JsonObject } from './json.ts';

/** Every code that a `KernelError` can have, in the order of the table in `docs/errors.md`. */
export const KERNEL_ERROR_CODES = [
  'TOOL_NAME_INVALID',
  'TOOL_SCHEMA_INVALID',
  'TOOL_ALREADY_EXISTS',
  'TOOL_NOT_FOUND',
  'TOOL_UNAVAILABLE',
  'ARGUMENTS_INVALID',
  'TOOL_TIMEOUT',
  'TOOL_FAILED',
  'TOOL_DENIED',
  'TOOL_CANCELLED',
  'TOOL_SKIPPED',
  'OUTCOME_UNKNOWN',
  'BUNDLE_INCOMPLETE',
  'CONFIG_INVALID',
  'SESSION_LOCKED',
  'STORE_FAILED',
  'LIMIT_REACHED',
  'PROVIDER_HTTP',
  'PROVIDER_NETWORK',
  'PROVIDER_TIMEOUT',
  'PROVIDER_PROTOCOL',
  'PROVIDER_REFUSED',
  'PROVIDER_UNSUPPORTED',
  'OUTPUT_INVALID',
] as const;

/** The kind of an error: one of the closed list that `docs/errors.md` explains. */
export type KernelErrorCode = (typeof KERNEL_ERROR_CODES)[number];

/** What a `KernelError` may carry besides its code and message. */
export interface KernelErrorOptions {
  /** What to do about it, in one sentence. */
  readonly hint?: string | undefined;
  /** Whether the same operation may succeed when it is tried again. Default false. */
  readonly retryable?: boolean | undefined;
  /** JSON-safe facts such as a status, names or limits; never a secret. */
  readonly data?: JsonObject | undefined;
  /** The original error, for logs; never serialized. */
  readonly cause?: unknown;
}

// Symbol.for: two installed copies of this package recognize each other's errors.
const BRAND = Symbol.for('@kernel/protocol/KernelError');

/**
 * The one error class. The message says what happened, with names and values; `hint` says what to do.
 *
 * It has no private members, so that two installed copies are assignable to each other. A caller's abort is never wrapped in it.
 */
export class KernelError extends Error {
  /** The kind of the error. */
  readonly code: KernelErrorCode;
  /** What to do about it, in one sentence. */
  declare readonly hint?: string;
  /** Whether the same operation may succeed when it is tried again. */
  readonly retryable: boolean;
  /** JSON-safe facts such as a status, names or limits; never a secret. */
  declare readonly data?: JsonObject;

  constructor(code: KernelErrorCode, message: string, options: KernelErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    Object.defineProperty(this, BRAND, { value: true });
    Object.defineProperty(this, 'name', { value: 'KernelError', configurable: true, writable: true });
    this.code = code;
    this.retryable = options.retryable ?? false;
    if (options.hint !== undefined) this.hint = options.hint;
    if (options.data !== undefined) this.data = options.data;
  }

  /** Whether a value is a `KernelError` of any installed copy; with `code`, one of that code. Never throws, whatever the value is. */
  static is<C extends KernelErrorCode>(value: unknown, code?: C): value is KernelError & { readonly code: C } {
    try {
      if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
      return code === undefined || ('code' in value && value.code === code);
    } catch {
      return false; // a proxy that throws
    }
  }

  /**
   * Reads the JSON form of an error, from a journal or another process. Anything else, and an error with a code that this version does not know,
   * becomes an error with the code `otherwise` and the message, if there is one. Never throws.
   */
  static fromJSON(json: unknown, otherwise: KernelErrorCode = 'TOOL_FAILED'): KernelError {
    const fields = isObject(json) ? json : {};
    const [code, message, hint, retryable, data] = ['code', 'message', 'hint', 'retryable', 'data'].map(
      (name) => fields[name],
    );
    const known = KERNEL_ERROR_CODES.find((each) => each === code) ?? otherwise;
    return new KernelError(known, typeof message === 'string' ? message : 'The error has no message.', {
      ...(typeof hint === 'string' ? { hint } : {}),
      retryable: retryable === true,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what comes from JSON is JSON
      ...(isObject(data) ? { data: data as JsonObject } : {}),
    });
  }

  /** Returns the JSON form: code, message, hint, retryable and data, without `cause` and stack. */
  toJSON(): JsonObject {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      retryable: this.retryable,
      ...(this.data === undefined ? {} : { data: this.data }),
    };
  }
}
