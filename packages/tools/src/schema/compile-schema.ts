import type { JsonSchema } from '@kernel/protocol';
import { arrayChecks } from './arrays.ts';
import { ASSERTIONS } from './assertions.ts';
import type { Build } from './keyword-context.ts';
import { type Check, type Fault, type Run, addSeen, faultAt, nothingSeen, refuse } from './check.ts';
import { logicChecks } from './logic.ts';
import { metaSchemas } from './meta-schemas.ts';
import { nothingKnown } from './memoize.ts';
import { objectChecks, propertiesCheck } from './objects.ts';
import { entering, referenceChecks } from './references.ts';
import { type Dialect, type Schema, indexSchema } from './schema-index.ts';
import { unevaluatedChecks } from './unevaluated.ts';

/** A schema made ready. Both functions are synchronous, keep nothing between calls and use no code generation. */
export interface Validator {
  /** Says whether a value passes; stops at the first fault. */
  test(value: unknown): boolean;
  /** Everything that is wrong with a value; empty when it passes. */
  faults(value: unknown): readonly Fault[];
}

/** How to read a schema. */
export interface CompileOptions {
  /** The draft of a schema that doesn't say. Default 2020-12. */
  readonly draft?: Dialect['draft'];
  /** Documents that a schema may refer to, by address without fragment. Nothing is ever fetched. */
  readonly documents?: ReadonlyMap<string, Schema>;
}

const always: Check = () => true;
const never: Check = (value, at, run) =>
  refuse(run, at, value, { keyword: 'false', expected: 'nothing here' }, () => false);

/** Compiles a schema of draft 2020-12 or draft-07 into functions. `format` and `content…` are annotations, as both drafts have them by default. */
export function compileSchema(schema: Schema, options: CompileOptions = {}): Validator {
  const documents = new Map([...metaSchemas(), ...(options.documents ?? [])]);
  const index = indexSchema(schema, { ...options, documents });
  const text = JSON.stringify([schema, [...(options.documents?.values() ?? [])]]);
  const tracks = text.includes('"unevaluated');
  const dynamic = text.includes('"$dynamicRef"');
  const memo = new Map<JsonSchema, Check>();

  const compile = (value: Schema): Check => {
    if (typeof value === 'boolean') return value ? always : never;
    const known = memo.get(value);
    if (known !== undefined) return known;
    let built: Check | undefined;
    const self: Check = (item, at, run, seen) => (built ?? always)(item, at, run, seen);
    memo.set(value, self);
    const resource = index.resourceOf(value);
    const { dialect } = resource;
    built = together(
      checksOf({ schema: value, resource, dialect, index, tracks, dynamic, never, self, compile }),
      tracks,
    );
    if (dynamic && resource.root === value) built = entering(built, resource, dynamic);
    memo.set(value, built);
    return built;
  };

  const root = compile(schema);
  const quick: Run = start(undefined);
  return {
    test(value) {
      quick.known.steps = 0;
      quick.known.answers = undefined;
      return guarded(() => root(value, undefined, quick, undefined)) ?? false;
    },
    faults(value) {
      const faults: Fault[] = [];
      if (guarded(() => root(value, undefined, start(faults), undefined)) === undefined) {
        const facts = { keyword: 'depth', expected: 'a value that takes fewer steps to check' };
        return [faultAt(undefined, value, facts, () => false)];
      }
      return faults;
    },
  };
}

function checksOf(build: Build): readonly Check[] {
  const { schema, dialect } = build;
  if (dialect.draft === 'draft-07' && typeof schema['$ref'] === 'string') return referenceChecks(build);
  const checks: (Check | undefined)[] = [];
  if (dialect.validation) {
    for (const [keyword, assertion] of ASSERTIONS) {
      if (Object.hasOwn(schema, keyword)) checks.push(assertion(schema[keyword]));
    }
  }
  checks.push(
    ...objectChecks(build),
    propertiesCheck(build),
    ...arrayChecks(build),
    ...referenceChecks(build),
    ...logicChecks(build),
  );
  if (dialect.draft === '2020-12') checks.push(...unevaluatedChecks(build));
  return checks.filter((check) => check !== undefined);
}

/** All checks of one schema as one: in the quick pass up to the first that fails, else every one. */
function together(checks: readonly Check[], tracks: boolean): Check {
  if (tracks) return tracked(checks);
  const [first, second] = checks;
  if (first === undefined) return always;
  if (second === undefined) return first;
  return (value, at, run) => {
    let ok = true;
    for (let index = 0; index < checks.length; index += 1) {
      if (checks[index]?.(value, at, run, undefined) !== false) continue;
      if (run.faults === undefined) return false;
      ok = false;
    }
    return ok;
  };
}

function tracked(checks: readonly Check[]): Check {
  return (value, at, run, seen) => {
    const own = nothingSeen();
    let ok = true;
    for (const check of checks) {
      if (check(value, at, run, own)) continue;
      if (run.faults === undefined) return false;
      ok = false;
    }
    if (ok) addSeen(seen, own);
    return ok;
  };
}

function start(faults: Fault[] | undefined): Run {
  return { faults, known: nothingKnown(), scope: [] };
}

/** A value nested so deeply that the stack ends is refused, not thrown. */
function guarded(work: () => boolean): boolean | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
