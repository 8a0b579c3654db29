import { asFields, asText, type Fields } from '../../json-fields.ts';

/** What the kinds of opaque parts that are calls end in. */
const SUFFIX = '_tool_call';
/** Fields that a delta repeats instead of continuing them. */
const WHOLE = new Set(['id', 'type', 'name']);

/** Of a tool that is no function: kept for the vendor, never run. */
export interface OpaqueCall {
  add(piece: Fields): void;
}

export function isOpaqueCallKind(kind: string): boolean {
  return kind.endsWith(SUFFIX);
}

/** `keep` gets it as the vendor would have sent it at once, after each piece. */
export function createOpaqueCall(keep: (kind: string, call: Fields) => void): OpaqueCall {
  let call: Fields = {};
  return {
    add({ index: _index, ...piece }) {
      call = joined(call, piece, false);
      keep(`${asText(call['type']) ?? 'custom'}${SUFFIX}`, call);
    },
  };
}

/** Objects are joined, text inside of them is appended, anything else replaces what was there. */
function joined(before: Fields, delta: Fields, appends: boolean): Fields {
  const fields = new Map(Object.entries(before));
  const isFirst = fields.size === 0;
  for (const [key, value] of Object.entries(delta)) {
    const known = fields.get(key);
    const [inner, piece] = [asFields(known), asFields(value)];
    if (inner !== undefined && piece !== undefined) fields.set(key, joined(inner, piece, true));
    else if (appends && !WHOLE.has(key) && typeof known === 'string' && typeof value === 'string')
      fields.set(key, known + value);
    // A later delta says null where it has nothing to say.
    else if (isFirst || value !== null) fields.set(key, value);
  }
  return Object.fromEntries(fields);
}
