import { KernelError, type ToolResult } from '@kernel/protocol';

/** What a model may read of a thrown value: its message in a few lines, without stack, program path or class name. */
export function describeFailure(error: unknown): string {
  const text = messageOf(error)
    .split('\n')
    .filter((line) => !/^\s*at\s/.test(line))
    .join('\n')
    .trim();
  const safe = text.replaceAll(PROGRAM_PATH, (_path: string, file: string) => file);
  return safe === '' ? 'it gave no reason.' : safe.slice(0, 2000);
}

/** Takes secrets out of texts and data. */
export interface Redactor {
  text(text: string): string;
  /** A copy of JSON data, names included; anything else as it is. */
  data<T>(value: T): T;
  /** What a result shows and carries. The `cause` of its error stays as it is: it is for logs and never sent. */
  result(result: ToolResult): ToolResult;
}

/** Creates a redactor. Secrets of three characters or fewer are no secrets: they are in every text. */
export function createRedactor(secrets: readonly string[]): Redactor | undefined {
  const long = secrets.filter((secret) => secret.length > 3);
  // In JSON text a secret may be spelled with escapes.
  const spelled = [...new Set(long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
  const known = spelled.toSorted((a, b) => b.length - a.length);
  if (known.length === 0) return undefined;
  const redact = (text: string): string => {
    let safe = text;
    for (const secret of known) safe = safe.replaceAll(secret, '[redacted]');
    return safe;
  };
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return redact(value);
    if (Array.isArray(value)) return value.map((item: unknown) => clean(item));
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), clean(item)]));
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy has the shape of its original
  const data = <T>(value: T): T => (value === undefined ? value : (clean(value) as T));
  return {
    text: redact,
    data,
    result(result) {
      const { forUser, error, repairs } = result;
      return {
        ...result,
        forLLM: redact(result.forLLM),
        ...(forUser === undefined ? {} : { forUser: redact(forUser) }),
        ...(result.data === undefined ? {} : { data: data(result.data) }),
        ...(repairs === undefined ? {} : { repairs: data(repairs) }),
        ...(KernelError.is(error)
          ? {
              error: new KernelError(error.code, redact(error.message), {
                hint: error.hint === undefined ? undefined : redact(error.hint),
                retryable: error.retryable,
                data: data(error.data),
                cause: error.cause,
              }),
            }
          : {}),
      };
    },
  };
}

/** A file URL, anything below node_modules, or a source file with a line number: never a path that a user or model wrote. */
const PROGRAM_PATH =
  /(?:file:\/\/\S*\/|(?:[A-Za-z]:)?[\\/][^\s'"():]*[\\/]node_modules[\\/][^\s'"():]*[\\/]|(?:[A-Za-z]:)?[\\/][^\s'"():]*[\\/](?=[^\s'"():/\\]+\.[cm]?[jt]sx?:\d+))([^\s'"()/\\]*)/g;

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (typeof error === 'string') return error;
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    return 'it threw something that cannot be shown.';
  }
}
