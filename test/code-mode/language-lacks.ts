/** What QuickJS lacks of the language that Node has: why tests of test262 fail in the sandbox only. */
import type { LanguageTest } from './test262-suite.ts';

/** One thing that the sandbox lacks. */
export interface Lack {
  /** In words. */
  readonly what: string;
  /** The files of the tests that show it. */
  readonly files: RegExp;
}

/** In the order of the table. */
export const LACKS: readonly Lack[] = [
  {
    what: 'the order in which an assignment or an object literal evaluates a computed key and its value',
    files:
      /property-reference-target-evaluation-order|target-(?:member|super)-computed-reference|topropertykey-before-value/,
  },
  {
    what: 'closing an iterator whose value, awaited by `for await` or `yield*`, is a promise that rejects',
    files: /AsyncFromSyncIteratorPrototype/,
  },
  {
    what: 'a class field named `get` or `set`, without a semicolon, before a generator method',
    files: /grammar-field-named-[gs]et-followed-by-generator-asi/,
  },
  {
    what: 'early errors: `await` as the name of an async generator expression, `#x in y` as the target of an assignment',
    files: /early-errors-expression-await-as-function-binding-identifier|private-field-invalid-assignment-target/,
  },
];

/** What the sandbox lacks for a test, if that is known. */
export function lackOf({ file }: LanguageTest): string | undefined {
  return LACKS.find(({ files }) => files.test(file))?.what;
}
