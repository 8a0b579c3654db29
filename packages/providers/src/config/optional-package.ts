/**
 * Imports an optional peer, which bundlers neither look for nor include: the built program finds it by its name in
 * `node_modules`. A literal specifier would fail each build without the package.
 */
export function importOptionalPackage(specifier: string): Promise<unknown> {
  return import(/* webpackIgnore: true */ /* turbopackIgnore: true */ specifier);
}
