import { usageError } from '../exit-code.ts';
import type { Host } from '../host.ts';

const MAX_DEPTH = 100;

/**
 * Fills `${NAME}`, `${env:NAME}` and `${NAME:-default}` in all strings of a JSON value from the environment, so that a token need not be in a file. What is disabled
 * stays as it is. Throws a usage error that begins with `what` for any other placeholder, and for a variable that is not set.
 */
export function fillVariables<T>(value: T, env: Host['env'], what: string): T {
  const fill = (text: string): string =>
    text.replaceAll(/\$\{([^}]{0,4096})\}/g, (whole, inside: string) => {
      const [, name, otherwise] = /^(?:env:)?(\w+)(?::-(.*))?$/s.exec(inside) ?? [];
      if (name === undefined)
        throw usageError(`${what} has ${whole}; write \${NAME}, \${env:NAME} or \${NAME:-default}.`);
      const found = env[name] ?? otherwise;
      if (found === undefined) throw usageError(`${what} uses the variable ${name}, which is not set.`);
      return found;
    });
  return mapTexts(value, fill);
}

/** Replaces the strings of a JSON value; a server that is disabled stays as it is: its variables may be unset. Throws a usage error for one that is nested too deeply. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts are replaced, by texts
  return replaceTexts(value, change, MAX_DEPTH) as T;
}

function replaceTexts(value: unknown, change: (text: string) => string, left: number): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (left === 0) throw usageError(`mcp: a server is nested deeper than ${MAX_DEPTH} levels.`);
  const inner = (part: unknown): unknown => replaceTexts(part, change, left - 1);
  if (Array.isArray(value)) return value.map(inner);
  if ('disabled' in value && value.disabled === true) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inner(part)]));
}
