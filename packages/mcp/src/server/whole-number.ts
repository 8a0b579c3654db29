import { MAX_TIMER_MS } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** Returns an option that must be a whole number. Throws `CONFIG_INVALID` for any other. */
export function checkWholeNumber(
  subject: string,
  name: string,
  value: number,
  minimum: number,
  maximum = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  const problem = maximum === MAX_TIMER_MS && value > maximum ? ', longer than a timer can wait' : '';
  throw new KernelError('CONFIG_INVALID', `${subject}: ${name} is ${value}${problem}.`, {
    hint: `It must be a whole number from ${minimum} to ${maximum}.`,
  });
}
