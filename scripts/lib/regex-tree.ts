/** A part of a regular expression. */
export type RegexNode =
  | { readonly kind: 'characters'; readonly set: ReadonlySet<string> }
  | { readonly kind: 'repeat'; readonly of: RegexNode; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly of: readonly RegexNode[] }
  | { readonly kind: 'sequence'; readonly of: readonly RegexNode[] }
  /** `^` or `\b`, or a look-around, which matches no characters itself. */
  | { readonly kind: 'assertion'; readonly text: string; readonly of: RegexNode | undefined };

const TOKEN =
  /\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|k<[^>]*>|[\s\S])|\[(?:[^\]\\]|\\[\s\S])*\]|\(\?(?:[:=!]|<[=!]|<[^>]*>)|[()|]|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]/gu;

/** The characters that sets are compared by: ASCII, and some of every other kind. */
const ALPHABET: readonly string[] = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...Array.from('éßжД中あ｜▁“”‘’×÷−…\u00A0\u2028\uFEFF\u0301\u{1F600}'),
];
const EVERYTHING: ReadonlySet<string> = new Set(ALPHABET);

/** Parses the source of a valid regular expression. */
export function parseRegex(source: string, flags: string): RegexNode {
  const tokens = source.match(TOKEN) ?? [];
  let at = 0;

  function choice(): RegexNode {
    const branches: RegexNode[] = [sequence()];
    while (tokens[at] === '|') {
      at += 1;
      branches.push(sequence());
    }
    const [only] = branches;
    return branches.length === 1 && only !== undefined ? only : { kind: 'choice', of: branches };
  }

  function sequence(): RegexNode {
    const parts: RegexNode[] = [];
    for (let token = tokens[at]; token !== undefined && token !== '|' && token !== ')'; token = tokens[at]) {
      at += 1;
      parts.push(repeated(atom(token)));
    }
    return { kind: 'sequence', of: parts };
  }

  function atom(token: string): RegexNode {
    if (token.startsWith('(')) {
      const inner = choice();
      at += 1;
      return /^\(\?<?[=!]/.test(token) ? { kind: 'assertion', text: token, of: inner } : inner;
    }
    if (/^(?:[\^$]|\\[bB])$/.test(token)) return { kind: 'assertion', text: token, of: undefined };
    const set = /^\\(?:[1-9]|k<)/.test(token) ? EVERYTHING : charactersOf(token, flags);
    return { kind: 'characters', set };
  }

  function repeated(of: RegexNode): RegexNode {
    const token = tokens[at] ?? '';
    const [quantifier] = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(token) ?? [];
    if (quantifier === undefined) return of;
    at += 1;
    const [, low = '0', comma, high = ''] = /^\{(\d+)(,?)(\d*)\}$/.exec(quantifier) ?? [];
    if (quantifier.startsWith('{')) {
      const max = comma === '' ? Number(low) : high === '' ? Infinity : Number(high);
      return { kind: 'repeat', of, min: Number(low), max };
    }
    return { kind: 'repeat', of, min: quantifier === '+' ? 1 : 0, max: quantifier === '?' ? 1 : Infinity };
  }

  return choice();
}

function charactersOf(token: string, flags: string): ReadonlySet<string> {
  const pattern = new RegExp(`^(?:${token === '/' ? '\\/' : token})$`, flags.replaceAll(/[gyd]/g, ''));
  return new Set(ALPHABET.filter((character) => pattern.test(character)));
}
