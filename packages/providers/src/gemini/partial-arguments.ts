import { sliceHead } from '@kernel/internal';
import { asFields, asNumber, asText } from '../json-fields.ts';

type Key = string | number;

/** Deeper paths than any schema needs; a limit keeps hostile ones from exhausting the stack. */
const MAX_DEPTH = 64;
/** One step of a path: `.name`, `[0]`, `['name']` or `["name"]`. */
const STEP = /\.([^.[\]]+)|\[(\d{1,9})\]|\['([^']*)'\]|\["([^"]*)"\]/y;

export function createPartialArguments(args: unknown) {
  const root: object = Object.fromEntries(Object.entries(asFields(args) ?? {}));
  /** The paths of texts that continue. */
  const open = new Set<string>();

  function addPiece(piece: unknown): string | undefined {
    const fields = asFields(piece) ?? {};
    const path = asText(fields['jsonPath']) ?? '';
    const keys = parsePath(path);
    if (keys === undefined)
      return `a piece of a call's arguments has the path "${sliceHead(path, 80)}", which cannot be read`;
    const text = asText(fields['stringValue']);
    const value =
      text ??
      asNumber(fields['numberValue']) ??
      (typeof fields['boolValue'] === 'boolean' ? fields['boolValue'] : null);
    const parent = parentOf(root, keys);
    const last = keys.at(-1) ?? '';
    if (parent === undefined || !fits(parent, last))
      return `a piece of a call's arguments has the path "${sliceHead(path, 80)}", which does not fit the pieces before it`;
    const before = open.has(path) ? own(parent, last) : undefined;
    set(parent, last, typeof before === 'string' && text !== undefined ? before + text : value);
    if (fields['willContinue'] === true) open.add(path);
    else open.delete(path);
    return undefined;
  }

  return {
    /** Returns what is wrong with one of them; undefined if nothing is. */
    add(pieces: readonly unknown[]) {
      for (const piece of pieces) {
        const problem = addPiece(piece);
        if (problem !== undefined) return problem;
      }
      return undefined;
    },
    /** Whether every text that was announced to continue has ended. */
    isComplete: () => open.size === 0,
    text: () => JSON.stringify(root),
  };
}

export type PartialArguments = ReturnType<typeof createPartialArguments>;

/** Reads a path such as `$.a.b[0]`; returns undefined for anything else. */
function parsePath(path: string): readonly Key[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const keys: Key[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const step = STEP.exec(path);
    if (step === null || keys.length === MAX_DEPTH) return undefined;
    keys.push(step[2] === undefined ? (step[1] ?? step[3] ?? step[4] ?? '') : Number(step[2]));
  }
  return keys.length === 0 ? undefined : keys;
}

/** Creates the parent if it is missing. Returns undefined if another value is in the way. */
function parentOf(root: object, keys: readonly Key[]): object | undefined {
  let parent = root;
  for (const [at, next] of keys.slice(1).entries()) {
    const key = keys[at] ?? '';
    if (!fits(parent, key)) return undefined;
    let child = own(parent, key);
    if (child === undefined) {
      child = typeof next === 'number' ? [] : {};
      set(parent, key, child);
    }
    if (typeof child !== 'object' || child === null) return undefined;
    parent = child;
  }
  return parent;
}

/** A list grows by one element at a time. */
function fits(parent: object, key: Key): boolean {
  return Array.isArray(parent) ? typeof key === 'number' && key <= parent.length : typeof key === 'string';
}

function own(parent: object, key: Key): unknown {
  return Object.getOwnPropertyDescriptor(parent, key)?.value;
}

/** Sets an own property, whatever its name: `__proto__` too. */
function set(parent: object, key: Key, value: unknown): void {
  Object.defineProperty(parent, key, { value, configurable: true, enumerable: true, writable: true });
}
