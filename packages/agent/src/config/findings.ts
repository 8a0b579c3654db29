import { KernelError } from '@kernel/protocol';

/** Collects what is wrong with a config, so that all of it is told at once. */
export interface Findings {
  /** Notes a fault at a path; `expected` ends the sentence "expected …". */
  fault(path: string, expected: string, value: unknown): void;
  warn(path: string, message: string): void;
  readonly warnings: readonly string[];
  /** Throws `CONFIG_INVALID` where there was a fault. */
  finish(): void;
}

/** Starts the findings of one file. */
export function createFindings(file: string): Findings {
  const faults: string[] = [];
  const warnings: string[] = [];
  return {
    warnings,
    fault: (path, expected, value) => faults.push(`${path || '(root)'}: expected ${expected}, got ${show(value)}`),
    warn: (path, message) => warnings.push(`${file}: ${path}: ${message}`),
    finish() {
      if (faults.length === 0) return;
      const [first = ''] = faults;
      throw new KernelError(
        'CONFIG_INVALID',
        faults.length === 1 ? `${file}: ${first}.` : `${file} has ${faults.length} faults:\n  ${faults.join('\n  ')}`,
        {
          hint: 'Correct the file, or name another one.',
          data: { file, faults },
        },
      );
    },
  };
}

/** Shows what kind of value stands there. Text is not repeated: it may be a secret. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return typeof value === 'string' ? (value === '' ? 'empty text' : 'other text') : 'an object';
}
