/** The properties of a regular expression that decide how long a match can take. */
export interface PatternShape {
  /** How many repetitions without a fixed count it has, including the implicit search from every position. */
  readonly repetitions: number;
  /** How many optional parts and alternatives it has. */
  readonly optionals: number;
  /**
   * How often a match can double without growing with the text: one for each optional part, and for each group the logarithm of its alternatives, of which a
   * match tries one at a time.
   */
  readonly doublings: number;
  /** Whether a repetition contains an alternative or another repetition, or there is a back reference: only then can time grow exponentially. */
  readonly nested: boolean;
  /** Texts that its parts match, one for each literal, escape and class boundary, most useful first. */
  readonly samples: readonly string[];
  /** A text that matches what precedes the first repeated group. */
  readonly prefix: string;
}

const TOKEN =
  /\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]{0,80}\}|k<[^>]{0,80}>|[\s\S])|\[(?:[^\]\\]|\\[\s\S])*\]|\(\?(?:[:=!]|<[=!]|<[^>]{0,80}>)|[()|]|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]/guy;
const CHARACTER = /\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]{0,80}\}|[\s\S])|[\s\S]/guy;
const PALETTE = ['a', '0', ' ', 'Z', '_', '-', '.', 'é', 'ж', '\u4E00', '\u{1F600}', '\t', '\n', '$'];
const MAX_SAMPLES = 48;

interface Group {
  readonly start: number;
  alternatives: number;
  /** Whether it contains a repetition, an alternative or an optional part. */
  varies: boolean;
}

/** Analyses the source of a valid regular expression. */
export function patternShape(source: string): PatternShape {
  const tokens = source.match(TOKEN) ?? [];
  const open: Group[] = [{ start: 0, alternatives: 1, varies: false }];
  let [repetitions, optionals, nested] = [source.startsWith('^') ? 0 : 1, 0, false];
  let doublings = 0;
  let firstGroup: number | undefined;
  let closed: Group | undefined;
  for (const [index, token] of tokens.entries()) {
    const inner = open.at(-1);
    const before = closed;
    closed = undefined;
    if (token.startsWith('(')) open.push({ start: index, alternatives: 1, varies: false });
    else if (token === ')') {
      closed = open.length > 1 ? open.pop() : undefined;
      const outer = open.at(-1);
      if (outer !== undefined && closed?.varies === true) outer.varies = true;
      doublings += Math.log2(closed?.alternatives ?? 1);
    } else if (token === '|') {
      if (inner !== undefined) {
        inner.varies = true;
        inner.alternatives += 1;
      }
      optionals += 1;
    } else if (/^\\(?:[1-9]|k<)/.test(token)) nested = true;
    else if (index > 0 && /^(?:[*+?]\??|\{\d+(?:,\d*)?\}\??)$/.test(token)) {
      const repeats = !token.startsWith('?');
      const fixed = /^\{\d+\}/.test(token);
      if (repeats && before !== undefined) {
        firstGroup ??= before.start;
        if (before.varies) nested = true;
      }
      if (!repeats) {
        optionals += 1;
        doublings += 1;
      } else if (!fixed) repetitions += 1;
      if (inner !== undefined && !fixed) inner.varies = true;
    }
  }
  const atoms = tokens.map((token) => charactersOf(token));
  return {
    repetitions,
    optionals,
    doublings: doublings + Math.log2(open[0]?.alternatives ?? 1),
    nested,
    samples: samplesOf(tokens, atoms),
    prefix: atoms
      .slice(0, firstGroup ?? 0)
      .map(([sample = '']) => sample)
      .join(''),
  };
}

function samplesOf(tokens: readonly string[], atoms: readonly (readonly string[])[]): readonly string[] {
  const firsts = [...new Set(atoms.flatMap((characters) => characters.slice(0, 1)))];
  const words = new Set<string>();
  let word = '';
  for (const [index, token] of [...tokens, '|'].entries()) {
    const [sample] = atoms[index] ?? [];
    if (sample !== undefined) word += sample;
    else if (/^[()|]/.test(token)) {
      if (word.length > 1) words.add(word.slice(0, 8));
      word = '';
    }
  }
  const few = firsts.slice(0, 6);
  const pairs = few.flatMap((a, index) => few.slice(index + 1).map((b) => a + b));
  return [...new Set([...firsts, ...words, ...atoms.flat(), ...pairs])].slice(0, MAX_SAMPLES);
}

/** Characters that one token matches: those that it names, and some others. */
function charactersOf(token: string): readonly string[] {
  if (/^(?:[()|^$]|[*+?]\??$|\{\d|\\[bB1-9]|\\k<)/u.test(token)) return [];
  if (!/^[\\[.]/.test(token)) return [token];
  const matches = matcherOf(token);
  const named = token.startsWith('[') ? (token.slice(1, -1).match(CHARACTER) ?? []) : [token];
  const literal = named.flatMap((part) => (part.startsWith('\\') ? decoded(part) : [part]));
  return [...literal, ...PALETTE].filter((character) => matches(character)).slice(0, Math.max(4, literal.length));
}

function matcherOf(token: string): (character: string) => boolean {
  for (const flags of ['u', '']) {
    try {
      const pattern = new RegExp(`^(?:${token})$`, flags);
      return (character) => pattern.test(character);
    } catch {
      // Such a pattern is valid without the `u` flag only.
    }
  }
  return () => false;
}

function decoded(escape: string): readonly string[] {
  const hex = /^\\(?:u\{([\dA-Fa-f]+)\}|u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2}))$/.exec(escape);
  const code = hex?.[1] ?? hex?.[2] ?? hex?.[3];
  if (code !== undefined && Number.parseInt(code, 16) <= 0x10_ffff)
    return [String.fromCodePoint(Number.parseInt(code, 16))];
  const plain = escape.slice(1);
  return /^[A-Za-z0-9]/.test(plain) ? [] : [plain];
}
