/**
 * The source of the module at `path` with the mutant of the environment put in; undefined for every other module.
 *
 * `MUTANT` is the JSON of the absolute path of the file, the text to find, and what replaces it.
 */
export function mutate(path: string, code: string): string | undefined {
  const given = process.env['MUTANT'];
  if (given === undefined) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by check-mutants.ts
  const { file, find, replace } = JSON.parse(given) as Readonly<Record<'file' | 'find' | 'replace', string>>;
  if (path !== file) return undefined;
  return find === '' ? replace + code : code.split(find).join(replace);
}
