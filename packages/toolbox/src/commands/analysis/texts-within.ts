const MAX_TEXTS = 2000;

/** Returns what may be names of programs, arguments and files in a text of any language: its runs of letters, digits and `. / _ + -`. */
export function textsWithin(text: string): readonly string[] {
  return text
    .split(/[^\w./+-]+/)
    .filter((each) => each !== '')
    .slice(0, MAX_TEXTS);
}
