export type Range = readonly [from: number, to: number];

/** The length of the shortest key: `xoxb-` and ten characters. */
const MIN_KEY_LENGTH = 15;
/** The keys of well-known vendors, and JSON web tokens. Each holds only characters of `IN_KEY`, and at least `MIN_KEY_LENGTH` of them. Every attempt that can fail is bounded, so a search takes linear time. */
const KEY_SHAPES =
  /(?<![A-Za-z0-9])(?:sk-(?:(?=[\w-]{0,40}\d)[\w-]{16,}|[A-Za-z0-9]{20,})|[srp]k_(?:live|test)_\w{16,}|AIza[\w-]{30,}|gsk_\w{20,}|xai-\w{20,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|gl(?:pat|ptt|rt|dt)-[\w-]{16,}|A[KS]IA[A-Z\d]{16}(?![A-Za-z\d])|hf_\w{20,}|pplx-\w{20,}|r8_\w{20,}|npm_\w{30,}|nvapi-[\w-]{20,}|xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{20,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|csk-\w{20,}|fw_\w{20,}|whsec_\w{20,}|dop_v1_\w{20,}|pypi-[\w-]{30,}|tvly-[\w-]{20,}|lin_api_\w{20,}|(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)/g;
/** The end of a text in which such a key has begun. */
const KEY_BEGINNING =
  /(?<![A-Za-z0-9])(?:sk-|[srp]k_(?:live|test)_|AIza|gsk_|xai-|gh[pousr]_|github_pat_|gl(?:pat|ptt|rt|dt)-|A[KS]IA|hf_|pplx-|r8_|npm_|nvapi-|xox[abeoprs]-|xapp-|ya29\.|GOCSPX-|SG\.|csk-|fw_|whsec_|dop_v1_|pypi-|tvly-|lin_api_|eyJ)[\w.-]*$/;
const MAX_BEGINNING = 512;
/** A private key in a PEM file, as far as it is there. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?=[^]{0,300}?[A-Za-z\d+/]{40})(?:[A-Za-z\d+/=\s:,]|-(?!----))*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g;
const PRIVATE_KEY_BEGINNING = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^]{0,340}$/;

export const NONE: readonly Range[] = [];

export function findKeys(text: string): readonly Range[] {
  // Every key has one of these; of `eyJ`, `AIza`, `AKIA` and `ASIA` what begins with a rare letter, which is found
  // fastest.
  const mayHoldKey =
    text.includes('-') ||
    text.includes('_') ||
    text.includes('SG.') ||
    text.includes('ya29.') ||
    text.includes('yJ') ||
    text.includes('Iza') ||
    text.includes('KIA') ||
    text.includes('SIA');
  if (!mayHoldKey) return NONE;
  const ranges: Range[] = [];
  // Most texts are words that are shorter than any key; only the long ones are matched.
  for (let from = findLongWord(text, 0); from !== -1;) {
    const to = endOfWord(text, from + MIN_KEY_LENGTH);
    for (const { index, 0: key } of text.slice(from, to).matchAll(KEY_SHAPES))
      ranges.push([from + index, from + index + key.length]);
    from = findLongWord(text, to + 1);
  }
  if (text.includes('-----BEGIN '))
    for (const { index, 0: key } of text.matchAll(PRIVATE_KEY)) ranges.push([index, index + key.length]);
  return ranges;
}

/** Where the end of a text begins that later text could make a key; the length of the text if there is none. */
export function keyBeginningAt(text: string): number {
  const from = Math.max(0, text.length - MAX_BEGINNING);
  const end = text.slice(from);
  const starts = [KEY_BEGINNING, PRIVATE_KEY_BEGINNING].map((beginning) => beginning.exec(end)?.index ?? end.length);
  return from + Math.min(...starts);
}

/** 1 for each character that can be in a key: a letter, a digit, `_`, `-` or `.`. Every result is read by it, also before any code is optimized. */
const IN_KEY = Uint8Array.from({ length: 128 }, (_, code) => (/[\w.-]/.test(String.fromCharCode(code)) ? 1 : 0));

/** Where the next `MIN_KEY_LENGTH` characters of a key follow one another, or -1. Reads backward, so that most of a text is skipped. */
function findLongWord(text: string, start: number): number {
  let from = start;
  for (let last = from + MIN_KEY_LENGTH - 1; last < text.length; last = from + MIN_KEY_LENGTH - 1) {
    let at = last;
    while (at >= from && IN_KEY[text.charCodeAt(at)] === 1) at -= 1;
    if (at < from) return from;
    from = at + 1;
  }
  return -1;
}

function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && IN_KEY[text.charCodeAt(at)] === 1) at += 1;
  return at;
}
