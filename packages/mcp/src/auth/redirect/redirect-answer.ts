import { createHash, timingSafeEqual } from 'node:crypto';
import type { RedirectAnswer } from './redirect.ts';

/** Reads the answer in the query of a redirect; undefined if it belongs to another request, or is none. */
export function readAnswer(query: URLSearchParams, state: string): RedirectAnswer | undefined {
  const code = single(query, 'code');
  const error = single(query, 'error');
  if (!isSameText(single(query, 'state') ?? '', state)) return undefined;
  if ((code === undefined) === (error === undefined)) return undefined;
  return { code, error, iss: single(query, 'iss') };
}

/** Compares in a time that tells nothing of where two texts differ. */
export function isSameText(first: string, second: string): boolean {
  return timingSafeEqual(digest(first), digest(second));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function single(query: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = query.getAll(name);
  return others.length === 0 && value !== '' ? value : undefined;
}
