import { asFields, asText, type Fields } from '../json-fields.ts';

/** The kind of the opaque part of such a call. @internal */
export const CUSTOM_CALL = 'custom_tool_call';

/** A call of a custom tool, which takes text and not JSON: kept for the vendor, never run. @internal */
export interface CustomCall {
  /** Adds the call or a piece of it. */
  add(piece: Fields): void;
}

/** Creates an empty call; `keep` gets it as the vendor would have sent it at once, after each piece. @internal */
export function createCustomCall(keep: (kind: string, data: unknown) => void): CustomCall {
  let call: Fields = {};
  let input = '';
  return {
    add(piece) {
      const { index: _index, custom, ...rest } = piece;
      input += asText(asFields(custom)?.['input']) ?? '';
      call = { ...call, ...rest, custom: { ...asFields(call['custom']), ...asFields(custom), input } };
      keep(CUSTOM_CALL, call);
    },
  };
}
