/** One pattern as two expressions that match the same in text with ASCII letters, made when first used. */
export interface ScriptPattern {
  readonly source: string;
  readonly flags: string;
  ascii: RegExp | undefined;
  any: RegExp | undefined;
}

/**
 * Makes a pattern with `\p{L}` and `\p{N}`, in brackets only, for text of any script and for ASCII letters. The first run of an expression compiles it, and with the
 * letters of all scripts that takes ten times as long: most of a first answer.
 */
export function forScripts(source: string, flags = ''): ScriptPattern {
  return { source, flags, ascii: undefined, any: undefined };
}

/** The expression for a text. */
export function byScript(text: string, pattern: ScriptPattern): RegExp {
  const { flags, source } = pattern;
  if (!hasAsciiLetters(text)) return (pattern.any ??= new RegExp(source, `${flags}u`));
  return (pattern.ascii ??= new RegExp(
    source.replaceAll(String.raw`\p{L}`, 'A-Za-z').replaceAll(String.raw`\p{N}`, '0-9'),
    flags,
  ));
}

/** Whether a text has no letter, digit or mark beyond ASCII; of all else it may have quotation marks, dashes and the ellipsis. */
export function hasAsciiLetters(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ASCII has them
  return /^[\0-\x7F‘-”–—…]*$/.test(text);
}
