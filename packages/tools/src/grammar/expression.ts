export type Expression =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'class'; readonly text: string }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly part: Expression; readonly min: number; readonly max: number | undefined }
  | { readonly kind: 'never' };

/** Matches nothing. */
export const NEVER: Expression = { kind: 'never' };
/** Matches the empty text. */
export const EMPTY: Expression = { kind: 'sequence', parts: [] };

export function literal(text: string): Expression {
  return text === '' ? EMPTY : { kind: 'literal', text };
}

/** Matches one character of a class, written as in a grammar: `[a-z]`. */
export function characters(text: string): Expression {
  return { kind: 'class', text };
}

export function rule(name: string): Expression {
  return { kind: 'rule', name };
}

/** Matches the parts in order; nothing if a part matches nothing. */
export function sequence(...parts: readonly Expression[]): Expression {
  const nested = parts.some((part) => part.kind === 'sequence');
  const flat = nested ? parts.flatMap((part) => (part.kind === 'sequence' ? part.parts : [part])) : parts;
  if (flat.some((part) => part.kind === 'never')) return NEVER;
  const [first] = flat;
  return flat.length === 1 && first !== undefined ? first : { kind: 'sequence', parts: flat };
}

export function choice(...parts: readonly Expression[]): Expression {
  const flat = parts.some((part) => part.kind === 'choice')
    ? parts.flatMap((part) => (part.kind === 'choice' ? part.parts : [part]))
    : parts;
  const possible = flat.filter((part) => part.kind !== 'never');
  const [first] = possible;
  if (first === undefined) return NEVER;
  return possible.length === 1 ? first : { kind: 'choice', parts: possible };
}

/** Matches a part `min` to `max` times; without `max`, any number from `min`. */
export function repeat(part: Expression, min: number, max?: number): Expression {
  if (max !== undefined && max < min) return NEVER;
  if (max === 0) return EMPTY;
  if (part.kind === 'never') return min === 0 ? EMPTY : NEVER;
  if (part === EMPTY || (min === 1 && max === 1)) return part;
  return { kind: 'repeat', part, min, max };
}

export function optional(part: Expression): Expression {
  return repeat(part, 0, 1);
}

/** Writes an expression in GBNF. Choices are always in parentheses. */
export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return quote(expression.text);
    case 'class':
      return expression.text;
    case 'rule':
      return expression.name;
    case 'sequence':
      return expression.parts.length === 0 ? '""' : expression.parts.map(printExpression).join(' ');
    case 'choice':
      return `(${expression.parts.map(printExpression).join(' | ')})`;
    case 'repeat':
      return printRepeat(expression.part, expression.min, expression.max);
    case 'never':
      throw new RangeError('an expression that matches nothing cannot be written');
  }
}

function printRepeat(part: Expression, min: number, max: number | undefined): string {
  const inner = printExpression(part);
  const whole = part.kind === 'sequence' || part.kind === 'repeat' ? `(${inner})` : inner;
  if (min === 0 && max === 1) return `${whole}?`;
  if (max === undefined) return min === 0 ? `${whole}*` : min === 1 ? `${whole}+` : `${whole}{${min},}`;
  return min === max ? `${whole}{${min}}` : `${whole}{${min},${max}}`;
}

function quote(text: string): string {
  if (/^[\w :,]*$/.test(text)) return `"${text}"`;
  // oxlint-disable-next-line no-control-regex -- those are what must be escaped
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll(/[\u0000-\u001f\u007f]/g, hex)}"`;
}

function hex(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;
}
