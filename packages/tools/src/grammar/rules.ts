import { type Expression, NEVER, choice, printExpression, repeat, sequence } from './expression.ts';

/**
 * Reduces a grammar to its productive and reachable rules, in order of first use. A rule is productive if it matches at least one finite
 * text, which one that always requires itself does not. A root that is not productive is absent.
 */
export function reduceRules(
  rules: ReadonlyMap<string, Expression>,
  roots: readonly string[],
): ReadonlyMap<string, Expression> {
  const productive = new Set<string>();
  const isProductive = (expression: Expression): boolean => {
    switch (expression.kind) {
      case 'literal':
      case 'class':
        return true;
      case 'rule':
        return productive.has(expression.name);
      case 'sequence':
        return expression.parts.every(isProductive);
      case 'choice':
        return expression.parts.some(isProductive);
      case 'repeat':
        return expression.min === 0 || isProductive(expression.part);
      case 'never':
        return false;
    }
  };
  for (let before = -1; before !== productive.size;) {
    before = productive.size;
    for (const [name, expression] of rules) if (!productive.has(name) && isProductive(expression)) productive.add(name);
  }

  const kept = new Map<string, Expression>();
  const visit = (name: string): void => {
    const expression = rules.get(name);
    if (expression === undefined || kept.has(name) || !productive.has(name)) return;
    const pruned = productive.size === rules.size ? expression : prune(expression, productive);
    kept.set(name, pruned);
    eachReference(pruned, visit);
  };
  for (const root of roots) visit(root);
  return kept;
}

function prune(expression: Expression, productive: ReadonlySet<string>): Expression {
  switch (expression.kind) {
    case 'rule':
      return productive.has(expression.name) ? expression : NEVER;
    case 'sequence':
      return sequence(...expression.parts.map((part) => prune(part, productive)));
    case 'choice':
      return choice(...expression.parts.map((part) => prune(part, productive)));
    case 'repeat':
      return repeat(prune(expression.part, productive), expression.min, expression.max);
    default:
      return expression;
  }
}

function eachReference(expression: Expression, visit: (name: string) => void): void {
  if (expression.kind === 'rule') visit(expression.name);
  else if (expression.kind === 'repeat') eachReference(expression.part, visit);
  else if (expression.kind === 'sequence' || expression.kind === 'choice')
    for (const part of expression.parts) eachReference(part, visit);
}

export function printRules(rules: ReadonlyMap<string, Expression>): string {
  return [...rules].map(([name, expression]) => `${name} ::= ${printExpression(expression)}\n`).join('');
}
