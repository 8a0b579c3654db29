import { isObject, pointerToken, sliceHead, toJsonText } from '@kernel/internal';
import type { JsonValue } from '@kernel/protocol';
import { asJson } from '../unsafe-casts.ts';
import { failureText } from './failure-text.ts';

/** A handler's value as JSON, or why JSON cannot carry it. */
export type JsonCopy =
  | { readonly text: string; readonly json: JsonValue; readonly problem?: undefined }
  | { readonly problem: string };

/**
 * Copies a value as JSON, without any loss that JSON itself does not define: `undefined` members are left out, and an object with `toJSON`
 * (a `Date`, a `URL`) is what that returns. Everything else that `JSON.stringify` would drop or empty is a problem, named with its path.
 */
export function toJson(value: unknown): JsonCopy {
  try {
    const problem = findProblem(value, '', new Set());
    if (problem !== undefined) return { problem };
    const text = toJsonText(value);
    return { text, json: asJson(JSON.parse(text)) };
  } catch (error) {
    return error instanceof RangeError
      ? { problem: 'a value that is nested too deeply for JSON' }
      : { problem: `a value that JSON cannot represent: reading it failed: ${failureText(error)}` };
  }
}

/** Returns what JSON cannot carry, and where. `ancestors` are the objects that lead to the value. */
function findProblem(value: unknown, path: string, ancestors: Set<unknown>): string | undefined {
  if (typeof value === 'object') return value === null ? undefined : findObjectProblem(value, path, ancestors);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : at(`the number ${value}`, path, 'return null or a text instead');
    case 'bigint':
      return at('a bigint', path, 'return its text, String(value), instead');
    case 'undefined':
      return at('undefined', path, 'return null instead');
    default:
      return at(`a ${typeof value}`, path, 'return data instead');
  }
}

function findObjectProblem(value: object, path: string, ancestors: Set<unknown>): string | undefined {
  if (ancestors.has(value)) return at('an object that contains itself', path, 'return data without the circle');
  const problem = Array.isArray(value) ? undefined : exoticProblem(value, path);
  if (problem !== undefined) return problem;
  ancestors.add(value);
  const found = hasToJson(value)
    ? findProblem(value.toJSON(path.slice(path.lastIndexOf('/') + 1)), path, ancestors)
    : findMemberProblem(value, path, ancestors);
  ancestors.delete(value);
  return found;
}

function findMemberProblem(value: object, path: string, ancestors: Set<unknown>): string | undefined {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      if (typeof item === 'string') continue;
      const problem = findProblem(item, `${path}/${index}`, ancestors);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (typeof member === 'string' || member === undefined) continue;
    const problem = findProblem(member, `${path}/${pointerToken(key)}`, ancestors);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Describes why an object that is neither plain nor an array is not JSON; `undefined` if its members, or its `toJSON`, are all that it holds. */
function exoticProblem(value: object, path: string): string | undefined {
  const prototype = Reflect.getPrototypeOf(value);
  const isPlain = prototype === null || prototype === Object.prototype;
  if (isPlain) return undefined;
  const type = typeName(value);
  if (ArrayBuffer.isView(value)) return at(type, path, 'return its bytes as base64 text, or as `media` of a result');
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? at('an invalid Date', path, 'return null or a text instead') : undefined;
  }
  if (hasToJson(value)) return undefined;
  if (value instanceof Error) return at(type, path, 'throw it, or return its message');
  if ('then' in value && typeof value.then === 'function') return at(type, path, 'await it first');
  if (Symbol.asyncIterator in value || 'pipe' in value) return at(type, path, 'read it to its end and return the text');
  if (Symbol.iterator in value) return at(type, path, 'return an array, or Object.fromEntries(…), instead');
  // The objects of another realm have the members of their class, which is called Object too.
  const isData = Object.keys(value).length > 0 || Reflect.getPrototypeOf(prototype) === null;
  return isData ? undefined : at(type, path, 'it has no members that JSON knows; return data instead');
}

function hasToJson(value: object): value is { toJSON(key: string): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

function typeName(value: object): string {
  const { constructor } = value;
  const name = typeof constructor === 'function' ? constructor.name : '';
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  const text = sliceHead(name === '' ? tag : name, 40);
  return `${/^[AEIO]/i.test(text) ? 'an' : 'a'} ${text}`;
}

function at(what: string, path: string, instead: string): string {
  return `${what}${path === '' ? '' : ` at "${sliceHead(path, 200)}"`}, which JSON cannot carry: ${instead}`;
}

/**
 * Whether the JSON text of what a schema library has made says all of it: it is made of what JSON has, and of large
 * integers, dates, maps and sets. A regular expression, an instance of a class, a function or `Infinity` has the text
 * of other values too. Never throws.
 */
export function isToldByJson(value: unknown): boolean {
  try {
    return isTold(value);
  } catch {
    return false; // a circle, or nested so deeply that the stack overflows
  }
}

function isTold(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object') return ['string', 'boolean', 'bigint'].includes(typeof value);
  if (value === null) return true;
  if (Object.getOwnPropertySymbols(value).length > 0) return false;
  const names = Object.getOwnPropertyNames(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value))
    return prototype === Array.prototype && names.length === value.length + 1 && value.every((each) => isTold(each));
  if (prototype === Object.prototype || prototype === null) {
    const members = Object.entries(value);
    // A member that is undefined counts as one that is left out.
    return members.length === names.length && members.every(([, each]) => each === undefined || isTold(each));
  }
  if (names.length > 0) return false;
  if (prototype === Date.prototype) return value instanceof Date && !Number.isNaN(value.getTime());
  const holds =
    (prototype === Map.prototype && value instanceof Map) || (prototype === Set.prototype && value instanceof Set);
  return holds && [...value].every((each) => isTold(each));
}
