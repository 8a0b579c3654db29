import { registerHooks } from 'node:module';

/** The packages that are installed with the program. */
const PROVIDED = /^@kernel\/(?:tools|toolbox|protocol|schema)(?:\/|$)/;

let isProvided = false;

/**
 * Lets modules that are imported from now on import the packages that come with the program, where they are not installed beside the module itself. What is
 * installed there goes first.
 */
export function providePackages(): void {
  if (isProvided) return;
  isProvided = true;
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (!PROVIDED.test(specifier)) throw error;
        return fromProgram(specifier, context, next) ?? raise(error);
      }
    },
  });
}

type Resolve = Parameters<NonNullable<Parameters<typeof registerHooks>[0]['resolve']>>;

/** What the specifier means in a file of the program; `undefined` if nothing. */
function fromProgram(specifier: string, context: Resolve[1], next: Resolve[2]): ReturnType<Resolve[2]> | undefined {
  try {
    return next(specifier, { ...context, parentURL: import.meta.url });
  } catch {
    return undefined;
  }
}

function raise(error: unknown): never {
  throw error;
}
