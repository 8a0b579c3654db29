import { isObject } from '@kernel/internal';

/** A member of a JSON object: its key, and its value as it is written, without white space around it. */
export interface JsonMember {
  /** The key. */
  readonly key: string;
  /** The JSON text of the value, with its digits and the order of its keys. */
  readonly json: string;
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+)/gy;

/** Returns the members of a JSON object, in order; undefined for text that is not one. Takes linear time. */
export function parseJsonMembers(json: string): readonly JsonMember[] | undefined {
  try {
    if (!isObject(JSON.parse(json))) return undefined;
  } catch {
    return undefined;
  }
  const members: JsonMember[] = [];
  let depth = 0;
  let key: string | undefined;
  let value: string[] = [];
  for (const [, token = ''] of json.matchAll(TOKEN)) {
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 0 || (depth === 1 && token === ',')) {
      if (key !== undefined) members.push({ key: String(JSON.parse(key)), json: value.join('') });
      key = undefined;
      value = [];
    } else if (key === undefined) key = token;
    else if (depth > 1 || token !== ':') value.push(token);
    if (token === '{' || token === '[') depth += 1;
  }
  return members;
}
