import { sliceHead } from '@kernel/internal';
import { toolError } from './tool-error.ts';

type Fn = (...values: number[]) => number;

const FUNCTIONS: ReadonlyMap<string, readonly [minimum: number, maximum: number, Fn]> = new Map<
  string,
  readonly [number, number, Fn]
>([
  ...(
    [
      'sqrt',
      'cbrt',
      'abs',
      'floor',
      'ceil',
      'sin',
      'cos',
      'tan',
      'asin',
      'acos',
      'atan',
      'log10',
      'log2',
      'exp',
      'sign',
      'trunc',
    ] as const
  ).map((name) => [name, [1, 1, Math[name]]] as const),
  ['ln', [1, 1, Math.log]],
  ['log', [1, 2, (value, base) => (base === undefined ? Math.log10(value) : Math.log(value) / Math.log(base))]],
  ['round', [1, 2, (value, digits = 0) => Number(`${Math.round(Number(`${value}e${digits}`))}e${-digits}`)]],
  ['pow', [2, 2, Math.pow]],
  ['mod', [2, 2, (a, b) => a - b * Math.floor(a / b)]],
  ['min', [1, 100, Math.min]],
  ['max', [1, 100, Math.max]],
  ['sum', [1, 100, (...values) => sumOf(values)]],
  ['mean', [1, 100, (...values) => sumOf(values) / values.length]],
  ['median', [1, 100, (...values) => medianOf(values)]],
]);

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
]);

const TOKEN = /\s*(?:(\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)|([a-z][a-z0-9]*)|(\*\*|[-+*/^%!(),×÷−]))/iy;
const MAX_DEPTH = 100;

/**
 * Evaluates arithmetic. Runs no code: names are looked up in two fixed tables. Takes linear time.
 *
 * `^` is right-associative and binds more tightly than a sign (`-2^2` is -4); `%` between two values is the remainder, with the sign of the
 * first, and a percentage where no value follows. Before a sign the spaces decide: `7 % -3` is a remainder, `50% + 1` has a percentage, and any
 * other spacing is refused. `log` is decimal. Throws `TOOL_FAILED` with the position for anything else, and for a result that is not finite.
 */
export function evaluate(text: string): number {
  const tokens = lex(text);
  let at = 0;
  let depth = 0;
  const peek = () => tokens[at]?.text;
  const fail = (): never => {
    const token = tokens[at];
    throw toolError(
      token === undefined
        ? `The expression "${text}" ends unexpectedly.`
        : `"${token.text}" at position ${token.start + 1} is unexpected in the expression "${text}".`,
    );
  };
  const expect = (wanted: string) => (peek() === wanted ? (at += 1) : fail());

  const sum = (): number => {
    let value = product();
    for (let sign = peek(); sign === '+' || sign === '-'; sign = peek()) {
      at += 1;
      value = sign === '+' ? value + product() : value - product();
    }
    return value;
  };
  const product = (): number => {
    let value = signed();
    for (let sign = peek(); sign === '*' || sign === '/' || sign === '%'; sign = peek()) {
      at += 1;
      const right = signed();
      if (sign !== '*' && right === 0) throw toolError(`The expression "${text}" divides by zero.`);
      value = sign === '*' ? value * right : sign === '/' ? value / right : value % right;
    }
    return value;
  };
  const signed = (): number => {
    const sign = peek();
    if (sign !== '-' && sign !== '+') return power();
    at += 1;
    const value = nested(signed);
    return sign === '-' ? -value : value;
  };
  const power = (): number => {
    const base = postfix();
    if (peek() !== '^') return base;
    at += 1;
    return base ** nested(signed);
  };
  const postfix = (): number => {
    let value = atom();
    for (let sign = peek(); sign === '!' || (sign === '%' && isPercentAt(tokens, at)); sign = peek()) {
      at += 1;
      value = sign === '!' ? factorial(value) : value / 100;
    }
    return value;
  };
  const atom = (): number => {
    const token = peek() ?? fail();
    at += 1;
    if (/^[\d.]/.test(token)) return Number(token);
    if (token === '(') {
      const value = nested(sum);
      expect(')');
      return value;
    }
    if (FUNCTIONS.has(token) && peek() === '(') return call(token);
    const constant = CONSTANTS.get(token);
    if (constant !== undefined) return constant;
    at -= 1;
    return fail();
  };
  const call = (name: string): number => {
    const [minimum, maximum, fn] = FUNCTIONS.get(name) ?? fail();
    expect('(');
    const values = [nested(sum)];
    while (peek() === ',') {
      at += 1;
      values.push(nested(sum));
    }
    expect(')');
    if (values.length < minimum || values.length > maximum)
      throw toolError(
        `${name}() takes ${minimum === maximum ? minimum : `${minimum} to ${maximum}`} values, not ${values.length}.`,
      );
    return fn(...values);
  };
  const nested = (inner: () => number): number => {
    depth += 1;
    if (depth > MAX_DEPTH) throw toolError(`The expression is nested more than ${MAX_DEPTH} deep.`);
    const value = inner();
    depth -= 1;
    return value;
  };

  const value = sum();
  if (at < tokens.length) fail();
  if (!Number.isFinite(value)) throw toolError(`The expression "${text}" has no finite result.`);
  return value;
}

function isPercentAt(tokens: readonly Token[], at: number): boolean {
  const [before, percent, next, following] = [at - 1, at, at + 1, at + 2].map((index) => tokens[index]);
  if (next === undefined || percent === undefined) return true;
  if (/^[\w.(]/.test(next.text)) return false;
  if (!/^[-+]$/.test(next.text)) return true;
  const isAttached = before?.end === percent.start;
  if (isAttached === (next.end === following?.start))
    throw toolError(
      `"%${next.text}" at position ${percent.start + 1} could be a percentage or a remainder. Write (5%) - 3 or 5 % (-3).`,
    );
  return isAttached;
}

function factorial(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > 170)
    throw toolError(`${value}! is not defined here; use a whole number from 0 to 170.`);
  let product = 1;
  for (let factor = 2; factor <= value; factor += 1) product *= factor;
  return product;
}

const SYNONYMS = new Map([
  ['**', '^'],
  ['×', '*'],
  ['÷', '/'],
  ['−', '-'],
]);

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function lex(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const source = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const start = TOKEN.lastIndex;
    const token = TOKEN.exec(source)?.[0];
    if (token === undefined)
      throw toolError(`"${sliceHead(source.slice(start).trim(), 20)}" at position ${start + 1} is not arithmetic.`);
    const trimmed = token.trim().toLowerCase();
    const end = start + token.length;
    tokens.push({ text: SYNONYMS.get(trimmed) ?? trimmed, start: end - trimmed.length, end });
  }
  return tokens;
}

/** Formats a number without the noise of binary fractions; whole numbers up to 2^53 in full. */
export function tidy(value: number, digits = 15): string {
  return Number.isSafeInteger(value) ? String(value) : String(Number(value.toPrecision(digits)));
}
