/** Formats a number without the noise of binary fractions; whole numbers up to 2^53 in full. */
export function tidy(value: number, digits = 15): string {
  return Number.isSafeInteger(value) ? String(value) : String(Number(value.toPrecision(digits)));
}
