/** A part of a regular expression. `flags` are those that hold there. */
export type RegexNode =
  /** One character: a literal, an escape, a class or `.`, as it is written. */
  | { readonly kind: 'character'; readonly text: string; readonly flags: string }
  | {
      readonly kind: 'repeat';
      readonly of: RegexNode;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
    }
  | { readonly kind: 'choice'; readonly of: readonly RegexNode[] }
  /** `group` is the number of the group that it is the content of. */
  | { readonly kind: 'sequence'; readonly of: readonly RegexNode[]; readonly group?: number }
  /** `^` or `\b`, or a look-around, which matches no characters itself. */
  | { readonly kind: 'assertion'; readonly text: string; readonly of: RegexNode | undefined; readonly flags: string }
  /** A back reference: the text of a group once more. Of several groups of one name, one has matched. */
  | { readonly kind: 'reference'; readonly groups: readonly number[]; readonly flags: string };

const ESCAPES = String.raw`u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[1-9]\d*`;
const UNICODE_ESCAPES = String.raw`u\{[\dA-Fa-f]+\}|[pP]\{[^}]{0,80}\}|${ESCAPES}`;
const CLASS = String.raw`\[(?:[^\]\\]|\\[\s\S])*\]|`;
const REST = String.raw`\(\?(?:[:=!]|<[=!]|<[^>]{0,80}>|[ims]{0,3}(?:-[ims]{1,3})?:)|[()|]|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]`;
/** Only so many groups within groups are parsed, so that no reader of a tree overflows the stack. */
const MAX_NESTING = 200;

function tokensOf(source: string, isUnicode: boolean, isSets: boolean): readonly string[] {
  const escapes = isUnicode ? UNICODE_ESCAPES : String.raw`0[0-7]{0,2}|${ESCAPES}`;
  const name = isUnicode || /\(\?<[^=!]/.test(source) ? '|k<[^>]{0,80}>' : '';
  const token = `\\\\(?:${escapes}${name}|[\\s\\S])|${isSets ? '' : CLASS}${REST}`;
  const tokens = source.match(new RegExp(token, isUnicode ? 'guy' : 'gy')) ?? [];
  if (isSets) return withClasses(tokens);
  const groups = tokens.filter(opensGroup).length;
  // Without groups to refer to, a reference is an octal escape, and `\c` without a letter is a backslash.
  return tokens.flatMap((each) => {
    if (isUnicode || !/^\\(?:[1-9]|c$)/.test(each) || Number(each.slice(1)) <= groups) return [each];
    if (each === String.raw`\c`) return [String.raw`\\`, 'c'];
    const [octal = each] = /^\\(?:[0-3][0-7]{0,2}|[4-7][0-7]?|[89])/.exec(each) ?? [];
    return [octal, ...Array.from(each.slice(octal.length))];
  });
}

/** Joins the tokens of each class of the flag `v`, which can contain others. */
function withClasses(tokens: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let depth = 0;
  for (const token of tokens) {
    joined.push(depth > 0 ? `${joined.pop() ?? ''}${token}` : token);
    if (token === '[') depth += 1;
    else if (token === ']') depth -= 1;
    if (/^\\(?:q$|p\{(?:RGI_|Basic_Emoji|Emoji_Keycap))/.test(token))
      throw new SyntaxError('A class that matches several characters at once is not supported.');
  }
  return joined;
}

function opensGroup(token: string): boolean {
  return token === '(' || /^\(\?<[^=!]/.test(token);
}

/**
 * Parses the source of a valid regular expression. Characters are code points with the flag `u` or `v`, else UTF-16
 * code units. Throws a SyntaxError for groups that are nested too deeply, and for a class that matches several
 * characters.
 */
export function parseRegex(source: string, allFlags: string): RegexNode {
  const tokens = tokensOf(source, /[uv]/.test(allFlags), allFlags.includes('v'));
  const total = tokens.filter(opensGroup).length;
  const names = new Map<string, number[]>();
  let at = 0;
  let groups = 0;
  let depth = 0;
  let flags = allFlags.replaceAll(/[gyd]/g, '');

  function numbersOf(name: string): number[] {
    const numbers = names.get(name) ?? [];
    names.set(name, numbers);
    return numbers;
  }

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
      const group = opensGroup(token) ? (groups += 1) : undefined;
      if (group !== undefined && token !== '(') numbersOf(token.slice(3, -1)).push(group);
      flags = changed(flags, token);
      depth += 1;
      if (depth > MAX_NESTING) throw new SyntaxError(`More than ${MAX_NESTING} groups are nested.`);
      const inner = choice();
      depth -= 1;
      flags = outer;
      at += 1;
      if (/^\(\?<?[=!]/.test(token)) return { kind: 'assertion', text: token, of: inner, flags };
      return group === undefined ? inner : { kind: 'sequence', of: [inner], group };
    }
    if (/^(?:[\^$]|\\[bB])$/.test(token)) return { kind: 'assertion', text: token, of: undefined, flags };
    if (token.startsWith(String.raw`\k<`)) return { kind: 'reference', groups: numbersOf(token.slice(3, -1)), flags };
    return /^\\[1-9]/.test(token) && Number(token.slice(1)) <= total
      ? { kind: 'reference', groups: [Number(token.slice(1))], flags }
      : { kind: 'character', text: token, flags };
  }

  function repeated(of: RegexNode): RegexNode {
    const token = tokens[at] ?? '';
    const [quantifier] = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(token) ?? [];
    if (quantifier === undefined) return of;
    at += 1;
    const lazy = token.length > quantifier.length;
    const [, low = '0', comma, high = ''] = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(quantifier) ?? [];
    if (quantifier.startsWith('{')) {
      const max = comma === undefined ? Number(low) : high === '' ? Infinity : Number(high);
      return { kind: 'repeat', of, min: Number(low), max, lazy };
    }
    return { kind: 'repeat', of, min: quantifier === '+' ? 1 : 0, max: quantifier === '?' ? 1 : Infinity, lazy };
  }

  return choice();
}

/** Returns the parts that a part consists of. */
export function partsOf(node: RegexNode): readonly RegexNode[] {
  if (node.kind === 'sequence' || node.kind === 'choice') return node.of;
  return (node.kind === 'repeat' || node.kind === 'assertion') && node.of !== undefined ? [node.of] : [];
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
