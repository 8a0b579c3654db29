import { MIN_GUESSED_SECRET_LENGTH, MIN_SECRET_SEGMENT_LENGTH } from '@kernel/internal';

/** Values of headers and of `authorization…` fields; in URLs user names, passwords, query values and long path segments. */
export function secretsIn(value: unknown, isSecret = false): readonly string[] {
  if (typeof value === 'string') return isSecret ? [value.replace(/^(Bearer|Basic) /i, '')] : secretsOfUrl(value);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    secretsIn(inner, isSecret || key === 'headers' || key.startsWith('authorization')),
  );
}

function secretsOfUrl(text: string): readonly string[] {
  const url = /^(?:https?|wss?):/i.test(text) ? URL.parse(text) : null;
  if (url === null) return [];
  const { password, pathname, searchParams, username } = url;
  const values = [...searchParams.values(), username, password].filter(
    (each) => each.length >= MIN_GUESSED_SECRET_LENGTH,
  );
  // Some URLs carry their key as a segment of the path.
  return [...values, ...pathname.split('/').filter((segment) => segment.length >= MIN_SECRET_SEGMENT_LENGTH)];
}
