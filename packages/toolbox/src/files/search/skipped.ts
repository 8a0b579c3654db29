import { errorMessage } from '@kernel/internal';
import { codeOf, isMissing, quote } from '../../workspace/errors.ts';
import { count } from '../describe.ts';

const MAX_NAMED = 5;

/** What a search has left out, for its answer. */
export interface Skipped {
  /** Notes a file that is not text. */
  addBinary(path: string): void;
  /** Notes what the system did not let be read. What is gone, and what the rules of the workspace close, is no part of it. */
  addUnreadable(error: unknown): void;
  /** What could not be read, with the reason, after what is not text where that is asked for; empty if there is nothing of it. */
  reasons(kinds: { readonly binary: boolean }): readonly string[];
}

/** Creates a list of what is left out. */
export function createSkipped(): Skipped {
  const binary: string[] = [];
  const unreadable: string[] = [];
  return {
    addBinary: (path) => void binary.push(path),
    addUnreadable: (error) => {
      const cause: unknown = error instanceof Error ? error.cause : undefined;
      if (!isMissing(error) && codeOf(cause) !== '') unreadable.push(errorMessage(error).replace(/\.$/, ''));
    },
    reasons: (kinds) => [
      ...(kinds.binary && binary.length > 0
        ? [`${count(binary.length, 'binary file')} (${named(binary.map(quote))})`]
        : []),
      ...(unreadable.length > 0 ? [`what cannot be read (${named(unreadable)})`] : []),
    ],
  };
}

function named(all: readonly string[]): string {
  const rest = all.length - MAX_NAMED;
  return [...all.slice(0, MAX_NAMED), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}
