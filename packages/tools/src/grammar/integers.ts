import { type Expression, NEVER, characters, choice, literal, repeat, sequence } from './expression.ts';

const DIGITS = characters('[0-9]');
/** The most digits that `JSON.stringify` writes without an exponent. */
const MAX_DIGITS = 21;

/** Matches the integers from `min` to `max`, both included; `undefined` means no bound. */
export function integersBetween(min: bigint | undefined, max: bigint | undefined): Expression {
  if (min !== undefined && max !== undefined && min > max) return NEVER;
  const negative =
    min !== undefined && min >= 0n
      ? NEVER
      : naturals(max !== undefined && max < 0n ? -max : 1n, min === undefined ? undefined : -min);
  const positive = max !== undefined && max < 0n ? NEVER : naturals(min !== undefined && min > 0n ? min : 0n, max);
  return choice(sequence(literal('-'), negative), positive);
}

function naturals(min: bigint, max: bigint | undefined): Expression {
  const parts: Expression[] = [];
  const from = min.toString();
  const to = (max ?? 10n ** BigInt(MAX_DIGITS) - 1n).toString();
  for (let length = from.length; length <= to.length; length += 1) {
    const low = length === from.length ? from : `1${'0'.repeat(length - 1)}`;
    const high = length === to.length ? to : '9'.repeat(length);
    if (max === undefined && length > from.length) {
      parts.push(sequence(characters('[1-9]'), repeat(DIGITS, length - 1, Math.max(length, MAX_DIGITS) - 1)));
      break;
    }
    parts.push(sameLength(low, high));
  }
  return choice(...parts);
}

/** Matches the integers from `low` to `high`, which have the same number of digits. */
function sameLength(low: string, high: string): Expression {
  if (low > high) return NEVER;
  if (low === high) return literal(low);
  const first = low.charAt(0);
  const last = high.charAt(0);
  const rest = low.length - 1;
  if (first === last) return sequence(literal(first), sameLength(low.slice(1), high.slice(1)));
  if (rest === 0) return characters(`[${first}-${last}]`);
  const all = repeat(DIGITS, rest, rest);
  const lowIsMin = /^0*$/.test(low.slice(1));
  const highIsMax = /^9*$/.test(high.slice(1));
  const from = Number(first) + (lowIsMin ? 0 : 1);
  const to = Number(last) - (highIsMax ? 0 : 1);
  return choice(
    lowIsMin ? NEVER : sequence(literal(first), sameLength(low.slice(1), '9'.repeat(rest))),
    from > to ? NEVER : sequence(characters(`[${from}-${to}]`), all),
    highIsMax ? NEVER : sequence(literal(last), sameLength('0'.repeat(rest), high.slice(1))),
  );
}
