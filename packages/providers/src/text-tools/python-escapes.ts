const LETTERS: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['a', '\u0007'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['\n', ''],
]);

const ESCAPE = /\\(?:U([\da-fA-F]{8})|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([0-7]{1,3})|([\s\S]))/g;

const LAST_CODE_POINT = 0x10_ffff;

// https://docs.python.org/3/reference/lexical_analysis.html#escape-sequences. An escape that Python does not know, or whose digits are missing
// (`C:\Users`), stays as it is written. Undefined for a character by its name (`\N{BULLET}`) and for a code beyond Unicode.
export function decodePythonEscapes(text: string): string | undefined {
  let isUnknown = false;
  const decoded = text.replaceAll(ESCAPE, (...match: readonly unknown[]) => {
    const [whole, eight, four, two, octal, one, at] = match;
    const hex = eight ?? four ?? two;
    const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number.parseInt(String(octal), 8);
    if (code > LAST_CODE_POINT) isUnknown = true;
    else if (!Number.isNaN(code)) return String.fromCodePoint(code);
    else if (one === 'N' && typeof at === 'number' && text[at + 2] === '{') isUnknown = true;
    return LETTERS.get(String(one)) ?? String(whole);
  });
  return isUnknown ? undefined : decoded;
}
