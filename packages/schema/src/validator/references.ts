import type { Check, KeywordContext, ValidationContext } from './check-types.ts';
import { memoize } from './memoize.ts';
import type { SchemaResource } from './schema-index.ts';

/** A reference that cannot be resolved accepts nothing; `inspectSchema` rejects those in tools. */
export function referenceChecks(context: KeywordContext): readonly Check[] {
  const { schema, resource, index } = context;
  const checks: Check[] = [];
  if (typeof schema['$ref'] === 'string') {
    const target = index.resolve(schema['$ref'], resource);
    checks.push(
      target === undefined
        ? context.never
        : memoize(entering(context.compile(target.schema), target.resource, context.tracksScope), context.tracksScope),
    );
  }
  if (typeof schema['$dynamicRef'] === 'string' && context.dialect.draft === '2020-12') {
    const target = index.resolve(schema['$dynamicRef'], resource);
    if (target === undefined) return [...checks, context.never];
    const name = target.dynamicName;
    const initial = entering(context.compile(target.schema), target.resource, context.tracksScope);
    checks.push(memoize(name === undefined ? initial : dynamicCheck(name, initial, context), true));
  }
  return checks;
}

function dynamicCheck(name: string, initial: Check, context: KeywordContext): Check {
  return (value, path, validation, evaluated) => {
    for (const resource of validation.scope) {
      const found = resource.dynamicAnchors.get(name);
      if (found !== undefined)
        return entering(context.compile(found), resource, context.tracksScope)(value, path, validation, evaluated);
    }
    return initial(value, path, validation, evaluated);
  };
}

/** Without `tracksScope`, the check itself. */
export function entering(check: Check, resource: SchemaResource, tracksScope: boolean): Check {
  if (!tracksScope) return check;
  return (value, path, validation, evaluated) => {
    // The outermost resource wins: entering one again changes nothing.
    if (validation.scope.includes(resource)) return check(value, path, validation, evaluated);
    const inner: ValidationContext = {
      issues: validation.issues,
      memo: validation.memo,
      scope: [...validation.scope, resource],
    };
    return check(value, path, inner, evaluated);
  };
}
