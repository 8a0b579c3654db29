import { asFields, asList, asText, type Fields } from '../json-fields.ts';
import { createOpaqueFields } from '../wire/opaque-fields.ts';

/** The kinds of blocks that are read; every other one is kept as it is. */
const READ = new Set(['text', 'toolUse', 'reasoningContent', 'citationsContent', 'citation']);

/** The kind of a block that only the vendor understands, or of the start of one; undefined for a block that is read. @internal */
export function opaqueKind(block: Fields): string | undefined {
  // A tool that the vendor runs itself has a type, such as `server_tool_use`.
  const serverTool = asText(asFields(block['toolUse'])?.['type']);
  if (serverTool !== undefined) return serverTool;
  const keys = Object.keys(block);
  return keys.some((key) => READ.has(key)) ? undefined : keys.find((key) => key !== 'type');
}

/** A streamed block that only the vendor understands, while it arrives. @internal */
export interface OpaqueBlock {
  /** Adds a delta: text is appended, a list continues the content. */
  add(delta: Fields): void;
  /** Hands on the block as the vendor would have sent it at once, unless its input was cut off. */
  end(): void;
}

/** Creates a block of a kind from its start; `keep` gets the kind and the complete block. @internal */
export function createOpaqueBlock(
  kind: string,
  start: Fields,
  keep: (kind: string, block: Fields) => void,
): OpaqueBlock {
  const key = Object.keys(start)[0] ?? kind;
  const fields = createOpaqueFields(asFields(start[key]) ?? {});
  const content: unknown[] = [];
  return {
    add(delta) {
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
