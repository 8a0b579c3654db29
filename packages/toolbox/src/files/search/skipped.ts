import { errorMessage } from '@kernel/internal';
import { codeOf, isMissing, quote } from '../../workspace/errors.ts';
import { count } from '../describe.ts';

const MAX_NAMED = 5;

export type Skipped = ReturnType<typeof createSkipped>;

export function createSkipped() {
  const binary: string[] = [];
  const links: string[] = [];
  const unreadable: string[] = [];
  return {
    addBinary: (path: string): void => void binary.push(path),
    addLink: (path: string): void => void links.push(path),
    /** Notes what the system refused to read. What is gone, and what the rules of the workspace close, does not count. */
    addUnreadable: (error: unknown): void => {
      const cause: unknown = error instanceof Error ? error.cause : undefined;
      if (!isMissing(error) && codeOf(cause) !== '') unreadable.push(errorMessage(error).replace(/\.$/, ''));
    },
    reasons: (kinds: { readonly binary?: boolean; readonly links?: boolean }): readonly string[] => [
      ...(kinds.binary === true ? counted(binary, 'binary file') : []),
      ...(kinds.links === true ? counted(links, 'link') : []),
      ...(unreadable.length > 0 ? [`what cannot be read (${named(unreadable)})`] : []),
    ],
  };
}

function counted(paths: readonly string[], word: string): readonly string[] {
  return paths.length === 0 ? [] : [`${count(paths.length, word)} (${named(paths.map(quote))})`];
}

function named(all: readonly string[]): string {
  const rest = all.length - MAX_NAMED;
  return [...all.slice(0, MAX_NAMED), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}
