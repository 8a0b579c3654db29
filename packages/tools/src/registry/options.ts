import {
  type CallContext,
  checkFunctions,
  checkKeys,
  checkNumber,
  type Conversation,
  invalidOption,
  KernelError,
  optionKeys,
  type ToolCall,
  type ToolResult,
  unknownKeyError,
} from '@kernel/protocol';
import type { ResultStore } from '../call/result-store.ts';
import type { Capabilities } from '../capabilities.ts';
import { type RepairPolicy, type UnknownProperties, checkSharedOptions } from '../tool/binding.ts';
import type { RegistryEvent } from './events.ts';

/** How a registry is created. A tool's own options override these. */
export interface RegistryOptions {
  /** Time limit of a handler, in milliseconds; `0` or `Infinity` means none. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Whether near-valid arguments are repaired. Default `apply`. */
  readonly repair?: RepairPolicy | undefined;
  /** What happens to arguments that a schema does not mention. Default: `strip` for `read` and `idempotent` tools, else `reject`. */
  readonly unknownProperties?: UnknownProperties | undefined;
  /** How many calls run at once in total. Default: no limit. */
  readonly concurrency?: number | undefined;
  /** How often a retryable failure of a `read` or `idempotent` tool is retried. Default 0. */
  readonly retries?: number | undefined;
  /** How many characters of a result the model gets; the full text is kept in `results`. Default: all. */
  readonly resultLimit?: number | undefined;
  /** Where full texts are kept. Default: a store of this registry's own. */
  readonly results?: ResultStore | undefined;
  /** Texts that no model may see; they are redacted from every result, also where they are encoded. */
  readonly secrets?: readonly string[] | undefined;
  /** Whether call events carry arguments and results. Default false. */
  readonly detail?: boolean | undefined;
  /** Checks the capabilities that tools require. Default: environment variables and programs on the PATH. */
  readonly capabilities?: Capabilities | undefined;
  /** Receives the errors that listeners throw. Default: they are ignored. */
  readonly onListenerError?: ((error: unknown, event: RegistryEvent) => void) | undefined;
}

/** How one `execute` runs. */
export interface ExecuteOptions {
  /** Aborts the call. Default: a signal that never aborts. */
  readonly signal?: AbortSignal | undefined;
  /** The conversation that the handler sees. */
  readonly conversation?: Conversation | undefined;
  /** The `context` that the handler sees. */
  readonly context?: unknown;
  /** The idempotency key that the handler sees. */
  readonly idempotencyKey?: string | undefined;
  /** Overrides the tool's and the registry's timeout, in milliseconds; `0` or `Infinity` means none. */
  readonly timeoutMs?: number | undefined;
  /** The call's id. Default: `execute-1`, `execute-2` and so on. */
  readonly callId?: string | undefined;
  /** Receives progress updates. */
  readonly onProgress?: ((update: string) => void) | undefined;
  /** Receives the late result of an async tool, once. */
  readonly onComplete?: ((result: ToolResult) => void) | undefined;
}

const REGISTRY_KEYS = optionKeys<RegistryOptions>({
  timeoutMs: true,
  repair: true,
  unknownProperties: true,
  concurrency: true,
  retries: true,
  resultLimit: true,
  results: true,
  secrets: true,
  detail: true,
  capabilities: true,
  onListenerError: true,
});

const EXECUTE_KEYS = optionKeys<ExecuteOptions>({
  signal: true,
  conversation: true,
  context: true,
  idempotencyKey: true,
  timeoutMs: true,
  callId: true,
  onProgress: true,
  onComplete: true,
});

export function checkRegistryOptions(options: RegistryOptions): void {
  const subject = 'createRegistry';
  checkKeys(subject, options, REGISTRY_KEYS);
  checkSharedOptions(subject, options, options.concurrency);
  checkFunctions(subject, { onListenerError: options.onListenerError });
  const { secrets } = options;
  if (secrets === undefined || (Array.isArray(secrets) && secrets.every((text) => typeof text === 'string'))) return;
  // The value is not shown: it may be a secret.
  throw new KernelError('CONFIG_INVALID', `${subject}: secrets must be an array of strings.`);
}

export function invalidExecute(name: unknown, options: ExecuteOptions): KernelError | undefined {
  const subject = 'execute';
  const unknown = unknownKeyError(subject, options, EXECUTE_KEYS);
  if (unknown !== undefined) return unknown;
  const { signal, callId } = options;
  if (typeof name !== 'string') return invalidOption(subject, 'the name', 'a string', name);
  if (signal !== undefined && !isSignal(signal)) return invalidOption(subject, 'signal', 'an AbortSignal', signal);
  if (callId !== undefined && typeof callId !== 'string') return invalidOption(subject, 'callId', 'a string', callId);
  try {
    checkNumber(subject, 'timeoutMs', options.timeoutMs, 0);
    checkFunctions(subject, { onProgress: options.onProgress, onComplete: options.onComplete });
  } catch (error) {
    if (KernelError.is(error)) return error;
    throw error;
  }
  return undefined;
}

export function invalidCall(
  call: Partial<ToolCall> | null | undefined,
  context: Partial<CallContext> | null | undefined,
): KernelError | undefined {
  if (typeof call !== 'object' || call === null) return invalidOption('call', 'the call', 'a ToolCall', call);
  if (!isSignal(context?.signal)) return invalidOption('call', 'context.signal', 'an AbortSignal', context?.signal);
  return undefined;
}

/** Whether a value is a signal, of this realm or of another one. */
function isSignal(value: unknown): boolean {
  if (value instanceof AbortSignal) return true;
  return typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value;
}
