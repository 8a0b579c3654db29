import { createRedactor, type Redactor, wellFormed } from '@kernel/internal';
import { type JsonValue, KernelError, type ToolResult, toModelText } from '@kernel/protocol';

/** Redacts the keys of vendors. Registries without secrets of their own share it: nothing is ever added to it. */
let keyRedactor: Redactor | undefined;

/** Returns the redactor of a registry, for its secrets and the keys of vendors. */
export function redactorFor(secrets: readonly string[]): Redactor {
  return secrets.length === 0 ? (keyRedactor ??= createRedactor()) : createRedactor(secrets);
}

/** Redacts everything that a result shows or carries, and makes its texts well-formed Unicode; returns the result itself if nothing is to change. */
export function cleanResult(result: ToolResult, redactor: Redactor): ToolResult {
  const { forLLM, forUser, data, error, media, repairs } = result;
  const isText = forUser === undefined && data === undefined && error === undefined && repairs === undefined;
  if (!isText || media !== undefined || forLLM === '') return wellFormedResult(redactResult(result, redactor));
  const clean = redactor.text(forLLM).toWellFormed();
  return clean === forLLM ? result : { ...result, forLLM: clean };
}

/** The `cause` of an error stays: it is for logs and never sent. */
function redactResult(result: ToolResult, redactor: Redactor): ToolResult {
  const { forUser, data, error, repairs } = result;
  const text = toModelText(result);
  const forLLM = redactor.text(text);
  const changes: { -readonly [Key in keyof ToolResult]?: ToolResult[Key] } = {};
  if (forLLM !== text) changes.forLLM = forLLM;
  if (forUser !== undefined) {
    const clean = redactor.text(forUser);
    if (clean !== forUser) changes.forUser = clean;
  }
  if (data !== undefined && mayHoldSecret(data, forLLM, redactor)) changes.data = redactor.data(data);
  if (repairs !== undefined) changes.repairs = redactor.data(repairs);
  if (KernelError.is(error)) changes.error = redactError(error, redactor);
  return Object.keys(changes).length === 0 ? result : { ...result, ...changes };
}

/** Its data is well-formed already, unless it is a text. */
function wellFormedResult(result: ToolResult): ToolResult {
  const { forUser, data, media } = result;
  const text = toModelText(result);
  const isSound = text.isWellFormed() && forUser?.isWellFormed() !== false && typeof data !== 'string' && !media;
  if (isSound) return result;
  return {
    ...result,
    forLLM: text.toWellFormed(),
    ...(forUser === undefined ? {} : { forUser: forUser.toWellFormed() }),
    ...(typeof data === 'string' ? { data: data.toWellFormed() } : {}),
    ...(media === undefined ? {} : { media: wellFormed(media) }),
  };
}

/** The JSON text of data is searched first: that takes less time than to visit every string of it. It often is what the model reads, which is `clean`. */
function mayHoldSecret(data: JsonValue, clean: string, redactor: Redactor): boolean {
  if (typeof data !== 'object') return typeof data === 'string';
  try {
    const text = JSON.stringify(data);
    return text !== clean && redactor.text(text) !== text;
  } catch {
    return true; // nested too deeply for JSON.stringify
  }
}

function redactError(error: KernelError, redactor: Redactor): KernelError {
  const { message, hint, data } = error;
  const clean = { message: redactor.text(message), hint: hint && redactor.text(hint), data: redactor.data(data) };
  if (clean.message === message && clean.hint === hint && clean.data === data) return error;
  const { code, retryable, cause } = error;
  return new KernelError(code, clean.message, { hint: clean.hint, retryable, data: clean.data, cause });
}
