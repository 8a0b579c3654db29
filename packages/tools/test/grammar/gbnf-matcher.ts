/** A small reader and matcher of GBNF, for tests: says whether a grammar accepts a text from end to end. */
type Node =
  | { readonly literal: readonly number[] }
  | { readonly ranges: readonly (readonly [number, number])[]; readonly negated: boolean }
  | { readonly rule: string }
  | { readonly all: readonly Node[] }
  | { readonly any: readonly Node[] }
  | { readonly part: Node; readonly min: number; readonly max: number };

/** Reads a grammar and returns its matcher. Throws for syntax that llama.cpp would refuse. */
export function gbnfMatcher(grammar: string): (text: string) => boolean {
  const rules = new Map<string, Node>();
  for (const line of grammar.trimEnd().split('\n')) {
    const [, name = '', body = ''] = /^([A-Za-z0-9-]+) ::= (.+)$/.exec(line) ?? [];
    if (name === '' || rules.has(name)) throw new Error(`bad rule: ${line}`);
    rules.set(name, readBody(body));
  }
  const names = [...rules.values()].flatMap(namesOf);
  for (const name of [...names, 'root']) if (!rules.has(name)) throw new Error(`no rule ${name}`);
  return (text) => {
    const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
    return run(rules, points).has(points.length);
  };
}

function namesOf(node: Node): readonly string[] {
  if ('rule' in node) return [node.rule];
  if ('part' in node) return namesOf(node.part);
  if ('all' in node) return node.all.flatMap(namesOf);
  return 'any' in node ? node.any.flatMap(namesOf) : [];
}

function readBody(body: string): Node {
  let at = 0;
  const space = (): void => {
    while (body[at] === ' ') at += 1;
  };
  function any(): Node {
    const parts = [all()];
    while (body[at] === '|') {
      at += 1;
      parts.push(all());
    }
    return { any: parts };
  }
  function all(): Node {
    const parts: Node[] = [];
    for (space(); at < body.length && body[at] !== '|' && body[at] !== ')'; space()) parts.push(repeated());
    return { all: parts };
  }
  function repeated(): Node {
    const part = single();
    const [whole, one, comma, two] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(body.slice(at, at + 20)) ?? [];
    if (whole === undefined) return part;
    at += whole.length;
    if (whole === '*') return { part, min: 0, max: Infinity };
    if (whole === '+') return { part, min: 1, max: Infinity };
    if (whole === '?') return { part, min: 0, max: 1 };
    const min = Number(one);
    return { part, min, max: comma === '' ? min : two === '' ? Infinity : Number(two) };
  }
  function single(): Node {
    if (body[at] === '(') {
      at += 1;
      const inner = any();
      if (body[at] !== ')') throw new Error(`no ) at ${at} in ${body}`);
      at += 1;
      return inner;
    }
    if (body[at] === '"') {
      at += 1;
      const literal: number[] = [];
      while (body[at] !== '"') literal.push(point());
      at += 1;
      return { literal };
    }
    if (body[at] === '[') {
      at += 1;
      const negated = body[at] === '^';
      if (negated) at += 1;
      const ranges: [number, number][] = [];
      while (body[at] !== ']') {
        const from = point();
        if (body[at] === '-' && body[at + 1] !== ']') {
          at += 1;
          ranges.push([from, point()]);
        } else ranges.push([from, from]);
      }
      at += 1;
      return { ranges, negated };
    }
    const [name] = /^[A-Za-z0-9-]+/.exec(body.slice(at)) ?? [];
    if (name === undefined) throw new Error(`unexpected ${body.slice(at, at + 10)} in ${body}`);
    at += name.length;
    return { rule: name };
  }
  function point(): number {
    if (at >= body.length) throw new Error(`open end in ${body}`);
    if (body[at] !== '\\') {
      const code = body.codePointAt(at) ?? 0;
      at += code > 0xff_ff ? 2 : 1;
      return code;
    }
    const [whole, x, u, U, short] =
      /^\\(?:x([\dA-F]{2})|u([\dA-F]{4})|U([\dA-F]{8})|([nrt"\\[\]]))/.exec(body.slice(at)) ?? [];
    if (whole === undefined) throw new Error(`bad escape in ${body}`);
    at += whole.length;
    const code = x ?? u ?? U;
    if (code !== undefined) return Number.parseInt(code, 16);
    return ({ n: 10, r: 13, t: 9 } as Record<string, number>)[short ?? ''] ?? (short ?? '').charCodeAt(0);
  }
  const node = any();
  if (at < body.length) throw new Error(`left over: ${body.slice(at)}`);
  return node;
}

function run(rules: ReadonlyMap<string, Node>, points: readonly number[]): ReadonlySet<number> {
  const memo = new Map<string, ReadonlySet<number>>();
  const from = (node: Node, start: number): ReadonlySet<number> => {
    if ('literal' in node)
      return node.literal.every((code, at) => points[start + at] === code)
        ? new Set([start + node.literal.length])
        : new Set();
    if ('ranges' in node) {
      const code = points[start];
      const inside = code !== undefined && node.ranges.some(([low, high]) => code >= low && code <= high);
      return code !== undefined && inside !== node.negated ? new Set([start + 1]) : new Set();
    }
    if ('rule' in node) {
      const key = `${node.rule} ${start}`;
      const known = memo.get(key) ?? from(rules.get(node.rule) ?? { any: [] }, start);
      memo.set(key, known);
      return known;
    }
    if ('any' in node) return new Set(node.any.flatMap((part) => [...from(part, start)]));
    if ('all' in node) {
      let ends: ReadonlySet<number> = new Set([start]);
      for (const part of node.all) ends = new Set([...ends].flatMap((end) => [...from(part, end)]));
      return ends;
    }
    const found = new Set<number>(node.min === 0 ? [start] : []);
    let ends: ReadonlySet<number> = new Set([start]);
    for (let count = 1; count <= node.max && ends.size > 0; count += 1) {
      ends = new Set(
        [...ends].flatMap((end) => [...from(node.part, end)]).filter((end) => count < node.min || !found.has(end)),
      );
      if (count >= node.min) for (const end of ends) found.add(end);
    }
    return found;
  };
  return from({ rule: 'root' }, 0);
}
