import type { JsonSchema } from '@kernel/protocol';
import { arrayChecks } from './arrays.ts';
import { ASSERTIONS } from './assertions.ts';
import {
  type Check,
  type KeywordContext,
  type ValidationContext,
  type ValidationIssue,
  addEvaluated,
  createEvaluated,
  createIssue,
  reportIssue,
} from './checks.ts';
import { logicChecks } from './logic.ts';
import { metaSchemas } from './keywords.ts';
import { objectChecks, propertiesCheck } from './objects.ts';
import { entering, referenceChecks, createMemo } from './references.ts';
import { type Dialect, type Schema, indexSchema } from './schema-index.ts';
import { unevaluatedChecks } from './unevaluated.ts';

/** A compiled schema. Both functions are synchronous, keep nothing between calls and generate no code. */
export interface Validator {
  /** Whether a value is valid; stops at the first failure. */
  test(value: unknown): boolean;
  /** Returns everything that is wrong with a value: an empty list if it is valid. */
  issues(value: unknown): readonly ValidationIssue[];
}

/** How a schema is compiled. */
export interface CompileOptions {
  /** The draft of a schema without `$schema`. Default 2020-12. */
  readonly draft?: Dialect['draft'];
  /** Documents that the schema can refer to, by URI without fragment. Nothing is ever fetched. */
  readonly documents?: ReadonlyMap<string, Schema>;
}

const always: Check = () => true;
const never: Check = (value, path, validation) =>
  reportIssue(validation, path, value, { keyword: 'false', expected: 'nothing here' }, () => false);

/**
 * Compiles a JSON Schema of draft 2020-12 or draft-07. `format` and `content…` are annotations, the default of both drafts.
 *
 * @example
 * ```ts
 * import { compileSchema } from '@kernel/schema';
 *
 * const validator = compileSchema({ type: 'object', properties: { days: { type: 'integer', minimum: 1 } } });
 * const [issue] = validator.issues({ days: 0 });
 * console.log(issue?.path, issue?.keyword); // /days minimum
 * ```
 */
export function compileSchema(schema: Schema, options: CompileOptions = {}): Validator {
  const documents = new Map([...metaSchemas(), ...(options.documents ?? [])]);
  const index = indexSchema(schema, { ...options, documents });
  const text = JSON.stringify([schema, [...(options.documents?.values() ?? [])]]);
  const tracksEvaluated = text.includes('"unevaluated');
  const tracksScope = text.includes('"$dynamicRef"');
  const compiled = new Map<JsonSchema, Check>();

  const compile = (value: Schema): Check => {
    if (typeof value === 'boolean') return value ? always : never;
    const existing = compiled.get(value);
    if (existing !== undefined) return existing;
    let built: Check | undefined;
    const self: Check = (item, path, validation, evaluated) => (built ?? always)(item, path, validation, evaluated);
    compiled.set(value, self); // a recursive schema refers to its check before it is compiled
    const resource = index.resourceOf(value);
    const { dialect } = resource;
    const checks = checksOf({
      schema: value,
      resource,
      dialect,
      index,
      tracksEvaluated,
      tracksScope,
      never,
      self,
      compile,
    });
    built = tracksEvaluated ? allTracked(checks) : all(checks);
    if (tracksScope && resource.root === value) built = entering(built, resource, tracksScope);
    compiled.set(value, built);
    return built;
  };

  const root = compile(schema);
  const fast = createContext(undefined);
  /** Returns undefined for a value nested so deeply that the stack overflows. */
  const check = (value: unknown, validation: ValidationContext): boolean | undefined => {
    try {
      return root(value, undefined, validation, undefined);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  };
  return {
    test(value) {
      fast.memo.steps = 0;
      fast.memo.results = undefined;
      return check(value, fast) ?? false;
    },
    issues(value) {
      const issues: ValidationIssue[] = [];
      if (check(value, createContext(issues)) === undefined) {
        const details = { keyword: 'depth', expected: 'a value that takes fewer steps to check' };
        return [createIssue(undefined, value, details, () => false)];
      }
      return issues;
    },
  };
}

function checksOf(context: KeywordContext): readonly Check[] {
  const { schema, dialect } = context;
  if (dialect.draft === 'draft-07' && typeof schema['$ref'] === 'string') return referenceChecks(context);
  const checks: (Check | undefined)[] = [];
  if (dialect.validation) {
    for (const [keyword, assertion] of ASSERTIONS) {
      if (Object.hasOwn(schema, keyword)) checks.push(assertion(schema[keyword]));
    }
  }
  checks.push(
    ...objectChecks(context),
    propertiesCheck(context),
    ...arrayChecks(context),
    ...referenceChecks(context),
    ...logicChecks(context),
  );
  if (dialect.draft === '2020-12') checks.push(...unevaluatedChecks(context));
  return checks.filter((check) => check !== undefined);
}

/** The fast pass stops at the first failure, otherwise all checks run. */
function all(checks: readonly Check[]): Check {
  const [first, second] = checks;
  if (first === undefined) return always;
  if (second === undefined) return first;
  return (value, path, validation) => {
    let ok = true;
    for (let index = 0; index < checks.length; index += 1) {
      if (checks[index]?.(value, path, validation, undefined) !== false) continue;
      if (validation.issues === undefined) return false;
      ok = false;
    }
    return ok;
  };
}

function allTracked(checks: readonly Check[]): Check {
  return (value, path, validation, evaluated) => {
    const ownEvaluated = createEvaluated();
    let ok = true;
    for (const check of checks) {
      if (check(value, path, validation, ownEvaluated)) continue;
      if (validation.issues === undefined) return false;
      ok = false;
    }
    if (ok) addEvaluated(evaluated, ownEvaluated);
    return ok;
  };
}

function createContext(issues: ValidationIssue[] | undefined): ValidationContext {
  return { issues, memo: createMemo(), scope: [] };
}
