/** A part of a regular expression. `flags` are those that hold there. */
export type RegexNode =
  /** One character: a literal, an escape, a class or `.`, as it is written. */
  | { readonly kind: 'character'; readonly text: string; readonly flags: string }
  | { readonly kind: 'repeat'; readonly of: RegexNode; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly of: readonly RegexNode[] }
  | { readonly kind: 'sequence'; readonly of: readonly RegexNode[] }
  /** `^` or `\b`, or a look-around, which matches no characters itself. */
  | { readonly kind: 'assertion'; readonly text: string; readonly of: RegexNode | undefined; readonly flags: string }
  /** A back reference: the text of a group once more. */
  | { readonly kind: 'reference' };

const TOKEN =
  /\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]{0,80}\}|k<[^>]{0,80}>|[1-9]\d*|[\s\S])|\[(?:[^\]\\]|\\[\s\S])*\]|\(\?(?:[:=!]|<[=!]|<[^>]{0,80}>|[ims]{0,3}(?:-[ims]{1,3})?:)|[()|]|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]/gy;

/** Parses the source of a valid regular expression. Characters are code points with the flag `u`, else UTF-16 code units. */
export function parseRegex(source: string, allFlags: string): RegexNode {
  const tokens = source.match(new RegExp(TOKEN, allFlags.includes('u') ? 'guy' : 'gy')) ?? [];
  let at = 0;
  let flags = allFlags.replaceAll(/[gyd]/g, '');

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
      const outer = flags;
      flags = changed(flags, token);
      const inner = choice();
      flags = outer;
      at += 1;
      return /^\(\?<?[=!]/.test(token) ? { kind: 'assertion', text: token, of: inner, flags } : inner;
    }
    if (/^(?:[\^$]|\\[bB])$/.test(token)) return { kind: 'assertion', text: token, of: undefined, flags };
    return /^\\(?:[1-9]|k<)/.test(token) ? { kind: 'reference' } : { kind: 'character', text: token, flags };
  }

  function repeated(of: RegexNode): RegexNode {
    const token = tokens[at] ?? '';
    const [quantifier] = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(token) ?? [];
    if (quantifier === undefined) return of;
    at += 1;
    const [, low = '0', comma, high = ''] = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(quantifier) ?? [];
    if (quantifier.startsWith('{')) {
      const max = comma === undefined ? Number(low) : high === '' ? Infinity : Number(high);
      return { kind: 'repeat', of, min: Number(low), max };
    }
    return { kind: 'repeat', of, min: quantifier === '+' ? 1 : 0, max: quantifier === '?' ? 1 : Infinity };
  }

  return choice();
}

/** The flags within a group such as `(?i-s:`. */
function changed(flags: string, token: string): string {
  const [, on, off = ''] = /^\(\?([ims]*)(?:-([ims]+))?:$/.exec(token) ?? [];
  return on === undefined ? flags : [...new Set(flags + on)].filter((flag) => !off.includes(flag)).join('');
}

const SINGLES = new Map<string, RegExp>();

/** Returns the expression for exactly one character, from the text and flags of a node. */
export function singleCharacter(text: string, flags: string): RegExp {
  const key = `${flags}/${text}`;
  let single = SINGLES.get(key);
  if (single === undefined) {
    if (SINGLES.size === MAX_SINGLES) SINGLES.clear();
    SINGLES.set(key, (single = new RegExp(`^(?:${text})$`, flags.replace('m', ''))));
  }
  return single;
}

const MAX_SINGLES = 1000;
