/** In exact decimal arithmetic: 0.3 is a multiple of 0.1. */
export function isMultipleOf(value: number, step: number): boolean {
  if (step <= 0) return false;
  if (Number.isInteger(value) && Number.isInteger(step)) return value % step === 0;
  if (!Number.isFinite(value)) return false;
  const a = toDecimal(value);
  const b = toDecimal(step);
  const scale = a.exponent < b.exponent ? a.exponent : b.exponent;
  return (a.digits * 10n ** BigInt(a.exponent - scale)) % (b.digits * 10n ** BigInt(b.exponent - scale)) === 0n;
}

function toDecimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = '0', power = '0'] = value.toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
