import { type CallContext, KernelError, type ToolCall } from '@kernel/protocol';
import type { BindingOptions, RepairPolicy, UnknownProperties } from '../tool/binding.ts';
import type { ExecuteOptions, RegistryOptions } from './types.ts';

const REPAIRS: readonly RepairPolicy[] = ['off', 'report', 'apply'];
const UNKNOWN: readonly UnknownProperties[] = ['strip', 'reject', 'passthrough'];

/** Throws `CONFIG_INVALID` that names the tool, the option and its value. */
export function checkBindingOptions(name: string, options: BindingOptions): void {
  const { concurrency } = options;
  const isObject = typeof concurrency === 'object' && concurrency !== null;
  const max: unknown = isObject ? concurrency.max : concurrency;
  const what = `Tool "${name}"`;
  checkCommon(what, options, max);
  checkFunctions(what, { when: options.when, 'concurrency.key': isObject ? concurrency.key : undefined });
}

/** Throws `CONFIG_INVALID` that names the option and its value. */
export function checkRegistryOptions(options: RegistryOptions): void {
  const what = 'createRegistry';
  checkCommon(what, options, options.concurrency);
  checkFunctions(what, { onListenerError: options.onListenerError });
  const { secrets } = options;
  const isList = secrets === undefined || (Array.isArray(secrets) && secrets.every((text) => typeof text === 'string'));
  if (!isList) throw wrong(what, 'secrets', 'a list of texts', 'something else'); // the value may be a secret
}

/** Says what is wrong with the options of an `execute`. */
export function executeFault(name: unknown, options: ExecuteOptions): KernelError | undefined {
  const what = 'execute';
  try {
    if (typeof name !== 'string') throw wrong(what, 'the name', 'text', name);
    checkNumber(what, 'timeoutMs', options.timeoutMs, 0);
    if (options.signal !== undefined && !isSignal(options.signal))
      throw wrong(what, 'signal', 'an AbortSignal', options.signal);
    if (options.callId !== undefined && typeof options.callId !== 'string')
      throw wrong(what, 'callId', 'text', options.callId);
    checkFunctions(what, { onProgress: options.onProgress, onComplete: options.onComplete });
  } catch (error) {
    if (KernelError.is(error)) return error;
    throw error;
  }
  return undefined;
}

/** Says what is wrong with what `call` was given. */
export function callFault(
  call: Partial<ToolCall> | null | undefined,
  context: Partial<CallContext> | null | undefined,
): KernelError | undefined {
  if (typeof call !== 'object' || call === null) return wrong('call', 'the call', 'a ToolCall', call);
  if (!isSignal(context?.signal)) return wrong('call', 'context.signal', 'an AbortSignal', context?.signal);
  return undefined;
}

/** Throws `CONFIG_INVALID` for anything but a number from `least` on. */
export function checkNumber(what: string, name: string, value: unknown, least: number): void {
  if (value === undefined || (typeof value === 'number' && value >= least)) return;
  throw wrong(what, name, `a number of at least ${least}`, value);
}

function checkCommon(what: string, options: BindingOptions | RegistryOptions, concurrency: unknown): void {
  checkNumber(what, 'timeoutMs', options.timeoutMs, 0);
  checkNumber(what, 'concurrency', concurrency, 1);
  checkNumber(what, 'resultLimit', options.resultLimit, 0);
  checkNumber(what, 'retries', options.retries, 0);
  checkWord(what, 'repair', options.repair, REPAIRS);
  checkWord(what, 'unknownProperties', options.unknownProperties, UNKNOWN);
}

function checkWord(what: string, name: string, value: string | undefined, words: readonly string[]): void {
  if (value === undefined || words.includes(value)) return;
  throw wrong(what, name, `one of ${words.map((word) => `"${word}"`).join(', ')}`, value);
}

function checkFunctions(what: string, given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && typeof value !== 'function') throw wrong(what, name, 'a function', value);
  }
}

function isSignal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value;
}

function wrong(what: string, name: string, expected: string, value: unknown): KernelError {
  const shown = typeof value === 'string' ? `"${value.slice(0, 40)}"` : value === null ? 'null' : typeof value;
  const text = typeof value === 'number' ? `${value}` : shown;
  return new KernelError('CONFIG_INVALID', `${what}: ${name} must be ${expected}, not ${text}.`);
}
