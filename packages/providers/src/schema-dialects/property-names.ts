import { isObject, parsePointer, pointerToken } from '@kernel/internal';
import type { JsonSchema, Message, Tool } from '@kernel/protocol';
import { toWireName } from '../wire/names.ts';
import { decode, OPEN_OR_CLOSED, SCHEMA_LISTS, SCHEMA_MAPS, SCHEMAS } from './schema-node.ts';

/** A tool whose properties have the names that a vendor takes, and the ways there and back. */
export interface Renaming {
  readonly tool: Tool;
  /** Renames the keys of arguments, in their JSON text. */
  toWire(json: string): string;
  fromWire(json: string): string;
  /** Names properties as the model knows them. */
  inText(text: string): string;
  /** Whether the end of a text may be the beginning of a name. */
  readonly open: RegExp;
}

/** By the name of the tool. Each wire has one, which its tools fill and its messages read. */
export type Renamings = Map<string, Renaming>;

const VALUES = new Set(['default', 'const', 'enum', 'examples', 'example']);

const cache = new WeakMap<Tool, Map<RegExp, Renaming | undefined>>();

/** Returns undefined for a tool whose names are all valid. */
export function renamed(tool: Tool, valid: RegExp): Renaming | undefined {
  const known = cache.get(tool) ?? new Map<RegExp, Renaming | undefined>();
  cache.set(tool, known);
  if (!known.has(valid)) known.set(valid, rename(tool, valid));
  return known.get(valid);
}

function rename(tool: Tool, valid: RegExp): Renaming | undefined {
  const found = new Set<string>();
  walk(tool.parameters, (name) => {
    found.add(name);
    return name;
  });
  const names = new Map<string, string>();
  for (const name of found) {
    if (valid.test(name)) continue;
    let wire = toWireName(name, valid);
    for (let salt = '+'; found.has(wire); salt += '+') wire = toWireName(name + salt, valid);
    names.set(name, wire);
  }
  if (names.size === 0) return undefined;
  const back = new Map([...names].map(([name, wire]) => [wire, name]));
  const written = new Map(
    [...names].flatMap(([name, wire]) => [[name, wire] as const, [pointerToken(name), wire] as const]),
  );
  const inText = new RegExp(`(?<!\\w)(?:${alternatives([...written.keys()])})(?!\\w)`, 'gu');
  const parameters = walk(tool.parameters, (name) => names.get(name) ?? name);
  return {
    tool: { ...tool, parameters },
    toWire: keyReplacer(names),
    fromWire: keyReplacer(back),
    inText: (text) => text.replaceAll(inText, (name) => written.get(name) ?? name),
    open: /"[a-zA-Z0-9_-]{0,64}(?:"\s{0,20})?$/,
  };
}

/** Text before a colon and after an unescaped quote is a key, wherever in JSON it is. */
function keyReplacer(names: ReadonlyMap<string, string>): (json: string) => string {
  const quoted = new Map([...names].map(([from, to]) => [JSON.stringify(from), JSON.stringify(to)]));
  const keys = new RegExp(`(?<!\\\\)(?:${alternatives([...quoted.keys()])})(?=\\s*:)`, 'gu');
  return (json) => json.replaceAll(keys, (key) => quoted.get(key) ?? key);
}

function alternatives(texts: readonly string[]): string {
  const longestFirst = texts.filter((text) => text !== '').toSorted((a, b) => b.length - a.length);
  return longestFirst.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)).join('|');
}

/** Copies a schema with other names for its properties. A renamed one says what it is named in truth. */
function walk(schema: JsonSchema, nameOf: (name: string) => string): JsonSchema {
  const list = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((each) => (typeof each === 'string' ? nameOf(each) : each)) : value;
  const named = (value: unknown, each: (inner: unknown, name: string) => unknown): unknown =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [nameOf(name), each(inner, name)]))
      : value;
  const values = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(values) : named(value, (inner) => values(inner));
  function property(inner: unknown, name: string): unknown {
    const copy = node(inner);
    if (nameOf(name) === name || !isObject(copy)) return copy;
    const said = typeof copy['description'] === 'string' ? `${copy['description']} ` : '';
    return { ...copy, description: `${said}(${JSON.stringify(name)})` };
  }
  function node(value: unknown): unknown {
    return isObject(value) ? ofObject(value) : value;
  }
  function ofObject(value: JsonSchema): JsonSchema {
    return Object.fromEntries(Object.entries(value).map(([keyword, inner]) => [keyword, keywordOf(keyword, inner)]));
  }
  function keywordOf(keyword: string, inner: unknown): unknown {
    if (keyword === 'properties') return named(inner, property);
    if (keyword === 'required') return list(inner);
    if (keyword === 'dependentRequired' || keyword === 'dependentSchemas' || keyword === 'dependencies')
      return named(inner, (each) => (Array.isArray(each) ? list(each) : node(each)));
    if (keyword === '$ref' && typeof inner === 'string') return pointed(inner, nameOf);
    if (SCHEMA_MAPS.has(keyword) && isObject(inner))
      return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, node(each)]));
    if (SCHEMA_LISTS.has(keyword) && Array.isArray(inner)) return inner.map(node);
    if (keyword === 'items' && Array.isArray(inner)) return inner.map(node);
    if (SCHEMAS.has(keyword) || OPEN_OR_CLOSED.has(keyword)) return node(inner);
    return VALUES.has(keyword) ? values(inner) : inner;
  }
  return ofObject(schema);
}

/** A pointer may lead through properties. */
function pointed(ref: string, nameOf: (name: string) => string): string {
  if (!ref.startsWith('#/')) return ref;
  const tokens = ref.split('/');
  const written = tokens.map((token, at) => {
    if (tokens[at - 1] !== 'properties') return token;
    const [name = ''] = parsePointer(`/${decode(token)}`);
    return nameOf(name) === name ? token : nameOf(name);
  });
  return written.join('/');
}

/** Writes calls and failures of the history with the names that the model knows. */
export function withWireNames(message: Message, renamings: Renamings): Message {
  if (renamings.size === 0) return message;
  if (message.role === 'tool') {
    const renaming = message.isError === true ? renamings.get(message.name) : undefined;
    if (renaming === undefined) return message;
    const { content } = message;
    if (typeof content === 'string') return { ...message, content: renaming.inText(content) };
    return {
      ...message,
      content: content.map((part) => (part.type === 'text' ? { ...part, text: renaming.inText(part.text) } : part)),
    };
  }
  if (message.role !== 'assistant' || !message.content.some((part) => part.type === 'tool-call')) return message;
  const content = message.content.map((part) => {
    const renaming = part.type === 'tool-call' ? renamings.get(part.name) : undefined;
    if (part.type !== 'tool-call' || renaming === undefined) return part;
    return { ...part, arguments: renaming.toWire(part.arguments) };
  });
  return { ...message, content };
}
