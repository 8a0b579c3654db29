import { sliceHead } from '@kernel/internal';
import { isToolName } from '@kernel/protocol';

const MAX_LENGTH = 64;

/** Returns free names similar to a taken one: `x_v2`, `x_alt`, `x_2`, then `x_3` and so on; all of them valid. */
export function freeNames(name: string, isTaken: (candidate: string) => boolean, count = 3): readonly string[] {
  const free: string[] = [];
  const tryCandidate = (suffix: string): void => {
    const candidate = `${sliceHead(name, MAX_LENGTH - suffix.length)}${suffix}`;
    if (free.length < count && !isTaken(candidate)) free.push(candidate);
  };
  for (const suffix of ['_v2', '_alt', '_2']) tryCandidate(suffix);
  for (let number = 3; free.length < count; number += 1) tryCandidate(`_${number}`);
  return free;
}

/** Returns a valid tool name with other characters replaced by `_`, at most 64 characters long; `undefined` if nothing is left. */
export function legalName(name: string): string | undefined {
  const replaced = sliceHead(name.trim().replaceAll(/[^A-Za-z0-9_-]+/g, '_'), MAX_LENGTH);
  return isToolName(replaced) && /[A-Za-z0-9]/.test(replaced) ? replaced : undefined;
}
