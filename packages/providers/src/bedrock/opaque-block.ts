import { asFields, asList, asText, type Fields } from '../json-fields.ts';
import { createOpaqueFields } from '../wire/opaque-fields.ts';
import { type ToolDecoder, type CallTypes, isCall } from '../wire/tool-encoder.ts';

/** The kinds of blocks that are read; every other one is kept as it is. */
const READ = new Set(['text', 'reasoningContent', 'citationsContent', 'citation']);

/** Types come from the `type` in a `toolUse`, which most models leave out, or from the kind of another block. */
export const CONVERSE_CALLS: CallTypes = { calls: ['toolUse', 'tool_use'], vendor: ['server_tool_use', 'toolResult'] };

export function callOf(block: Fields, decoder: ToolDecoder): Fields | undefined {
  const key = keyOf(block);
  const fields = asFields(block[key]);
  return fields !== undefined && isCall(CONVERSE_CALLS, kindOf(key, fields), asText(fields['name']), decoder)
    ? fields
    : undefined;
}

export function opaqueKind(block: Fields, decoder: ToolDecoder): string | undefined {
  const key = keyOf(block);
  if (key === '' || Object.keys(block).some((each) => READ.has(each)) || callOf(block, decoder) !== undefined)
    return undefined;
  return kindOf(key, asFields(block[key]));
}

function keyOf(block: Fields): string {
  return 'toolUse' in block ? 'toolUse' : (Object.keys(block).find((key) => key !== 'type') ?? '');
}

function kindOf(key: string, fields: Fields | undefined): string {
  return key === 'toolUse' ? (asText(fields?.['type']) ?? key) : key;
}

export function createOpaqueBlock(kind: string, start: Fields, keep: (kind: string, block: Fields) => void) {
  const key = Object.keys(start)[0] ?? kind;
  const fields = createOpaqueFields(asFields(start[key]) ?? {});
  const content: unknown[] = [];
  return {
    /** Text is appended, a list continues the content. */
    add(delta: Fields) {
      const value = delta[key];
      content.push(...asList(value));
      for (const [name, piece] of Object.entries(asFields(value) ?? {})) {
        if (name === 'input' && typeof piece === 'string') fields.addInput(piece);
        else fields.add(name, piece);
      }
    },
    end() {
      const block = fields.complete();
      if (block === undefined) return;
      if (content.length > 0) block.set('content', content);
      keep(kind, { [key]: Object.fromEntries(block) });
    },
  };
}

export type OpaqueBlock = ReturnType<typeof createOpaqueBlock>;
