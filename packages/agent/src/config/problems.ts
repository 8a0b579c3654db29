import { KernelError } from '@kernel/protocol';

/** Collects the problems of a config, so that all of them are reported at once. */
export interface Problems {
  /** Adds an error at a path; `expected` completes the sentence "expected …". */
  error(path: string, expected: string, value: unknown): void;
  /** Adds an error at a path; `problem` completes the sentence that begins with the path. */
  conflict(path: string, problem: string): void;
  /** Adds a warning at a path. */
  warn(path: string, message: string): void;
  /** The warnings so far, each with file and path. */
  readonly warnings: readonly string[];
  /** Throws `CONFIG_INVALID` if there was an error. */
  throwIfErrors(): void;
}

/** Creates an empty collection for one file. */
export function createProblems(file: string): Problems {
  const errors: string[] = [];
  const warnings: string[] = [];
  return {
    warnings,
    error: (path, expected, value) => errors.push(`${path || '(root)'}: expected ${expected}, got ${describe(value)}`),
    conflict: (path, problem) => errors.push(`${path} ${problem}`),
    warn: (path, message) => warnings.push(`${file}: ${path}: ${message}`),
    throwIfErrors() {
      if (errors.length === 0) return;
      const [first = ''] = errors;
      throw new KernelError(
        'CONFIG_INVALID',
        errors.length === 1 ? `${file}: ${first}.` : `${file} has ${errors.length} errors:\n  ${errors.join('\n  ')}`,
        { hint: 'Correct the file, or use another one.', data: { file, errors } },
      );
    },
  };
}

/** Describes a value by its kind. Text is not quoted: it may be a secret. */
function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return typeof value === 'string' ? (value === '' ? 'empty text' : 'other text') : 'an object';
}
