const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const MAX_LENGTH = 400;

/**
 * The number that a text spells in JSON notation, if it is that number exactly: written out again, it has the same digits. `undefined` for
 * any other text, such as one with more digits than a number holds, or with an exponent that is too large or too small.
 */
export function parseNumber(text: string): number | undefined {
  if (text.length > MAX_LENGTH || !NUMBER.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) && decimalOf(text) === decimalOf(String(number)) ? number : undefined;
}

/** The decimal value of a number as its digits and exponent, the same for every notation: `1.50`, `15e-1` and `1.5` are equal. */
function decimalOf(text: string): string {
  const isNegative = text.startsWith('-');
  const [mantissa = '', exponent = '0'] = (isNegative ? text.slice(1) : text).split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${isNegative ? '-' : ''}${significant}e${power}`;
}

/** Like `replace(/0+$/, '')`, in linear time. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end -= 1;
  return digits.slice(0, end);
}
