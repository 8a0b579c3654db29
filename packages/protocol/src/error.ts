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
  'LIMIT_REACHED',
  'PROVIDER_HTTP',
  'PROVIDER_NETWORK',
  'PROVIDER_TIMEOUT',
  'PROVIDER_PROTOCOL',
  'PROVIDER_REFUSED',
  'PROVIDER_UNSUPPORTED',
] as const;

/** A code says what kind of thing went wrong; the closed list is in `docs/errors.md`. */
export type KernelErrorCode = (typeof KERNEL_ERROR_CODES)[number];

/** What a `KernelError` may carry beside its code and message. */
export interface KernelErrorOptions {
  /** What to do about it, in a sentence. */
  readonly hint?: string | undefined;
  /** Whether the same thing may work when tried again. Default false. */
  readonly retryable?: boolean | undefined;
  /** JSON-safe facts (status, names, limits); never a secret. */
  readonly data?: JsonObject | undefined;
  /** The original, for logs; never serialised. */
  readonly cause?: unknown;
}

// Symbol.for: two installed copies of this package recognise each other's errors.
const BRAND = Symbol.for('@kernel/protocol/KernelError');

/**
 * The one error class. The message says what happened, with names and values; `hint` says what to do.
 *
 * It has no private member, so that two installed copies stay assignable. A caller's abort is never wrapped in it.
 */
export class KernelError extends Error {
  readonly code: KernelErrorCode;
  declare readonly hint?: string;
  readonly retryable: boolean;
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

  /** Recognises a `KernelError` of any installed copy; with `code`, only one of that code. */
  static is<C extends KernelErrorCode>(value: unknown, code?: C): value is KernelError & { readonly code: C } {
    if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
    return code === undefined || ('code' in value && value.code === code);
  }

  /** The JSON form: code, message, hint, retryable and data. Never `cause`, never the stack. */
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
