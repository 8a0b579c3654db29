import { type Expression, NEVER, choice, printExpression, repeat, sequence } from './expression.ts';

/**
 * Takes out of some rules what can never end: a rule that needs itself. Returns the rules that can be reached from `roots`, in
 * order of their first use; a root that matches nothing is absent.
 */
export function endingRules(
  rules: ReadonlyMap<string, Expression>,
  roots: readonly string[],
): ReadonlyMap<string, Expression> {
  const ending = new Set<string>();
  const ends = (expression: Expression): boolean => {
    switch (expression.kind) {
      case 'literal':
      case 'class':
        return true;
      case 'rule':
        return ending.has(expression.name);
      case 'sequence':
        return expression.parts.every(ends);
      case 'choice':
        return expression.parts.some(ends);
      case 'repeat':
        return expression.min === 0 || ends(expression.part);
      case 'never':
        return false;
    }
  };
  for (let before = -1; before !== ending.size;) {
    before = ending.size;
    for (const [name, expression] of rules) if (!ending.has(name) && ends(expression)) ending.add(name);
  }

  const kept = new Map<string, Expression>();
  const visit = (name: string): void => {
    const expression = rules.get(name);
    if (expression === undefined || kept.has(name) || !ending.has(name)) return;
    const pruned = ending.size === rules.size ? expression : prune(expression, ending);
    kept.set(name, pruned);
    eachName(pruned, visit);
  };
  for (const root of roots) visit(root);
  return kept;
}

function prune(expression: Expression, ending: ReadonlySet<string>): Expression {
  switch (expression.kind) {
    case 'rule':
      return ending.has(expression.name) ? expression : NEVER;
    case 'sequence':
      return sequence(...expression.parts.map((part) => prune(part, ending)));
    case 'choice':
      return choice(...expression.parts.map((part) => prune(part, ending)));
    case 'repeat':
      return repeat(prune(expression.part, ending), expression.min, expression.max);
    default:
      return expression;
  }
}

function eachName(expression: Expression, visit: (name: string) => void): void {
  if (expression.kind === 'rule') visit(expression.name);
  else if (expression.kind === 'repeat') eachName(expression.part, visit);
  else if (expression.kind === 'sequence' || expression.kind === 'choice')
    for (const part of expression.parts) eachName(part, visit);
}

/** Writes rules, one a line. */
export function printRules(rules: ReadonlyMap<string, Expression>): string {
  return [...rules].map(([name, expression]) => `${name} ::= ${printExpression(expression)}\n`).join('');
}
