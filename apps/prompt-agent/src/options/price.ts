import type { TokenPrices } from '@kernel/agent/config';
import { usageError } from '../usage-error.ts';
import type { Flags } from './flags.ts';

/** What tokens cost: the prices of `--price IN,OUT`, in USD for a million of them, else those of the config. Throws a usage error for a wrong flag. */
export function pricesOf({ price }: Flags, configured: TokenPrices | undefined): TokenPrices | undefined {
  if (price === undefined) return configured;
  const [, input, output] = /^(\d{1,6}(?:\.\d{1,9})?),(\d{1,6}(?:\.\d{1,9})?)$/.exec(price) ?? [];
  if (input === undefined || output === undefined)
    throw usageError(
      `--price "${price}" must be two amounts in USD for a million tokens, in and out, such as 0.15,0.6.`,
    );
  return { input: Number(input), output: Number(output) };
}
