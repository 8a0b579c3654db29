import type { RecordedWire } from './files.ts';

/** A part that must go back as it was received. */
export interface VendorPart {
  /** The vendor's name of the tool, or `citations`. */
  readonly tool: string;
  /** Its bytes, without white space between them. */
  readonly json: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the parts of a reply without the decoders, in order: its events, or its one body. */
export function receivedParts(wire: RecordedWire, values: readonly unknown[]): readonly VendorPart[] {
  if (wire === 'anthropic') return blockParts(blocksOf(values.map(fieldsOf)));
  if (wire === 'openai-responses') return itemParts(itemsOf(values.map(fieldsOf)));
  return [];
}

/** Reads the same of a request that has the reply in its history. */
export function sentParts(wire: RecordedWire, body: string): readonly VendorPart[] {
  const { input, messages } = fieldsOf(JSON.parse(body));
  if (wire === 'openai-responses') return itemParts(listOf(input));
  const replies = listOf(messages).filter(({ role }) => role === 'assistant');
  return wire === 'anthropic' ? blockParts(replies.flatMap(({ content }) => listOf(content))) : [];
}

/** The blocks of a reply of Messages, put together from their events. */
function blocksOf(values: readonly Fields[]): readonly Fields[] {
  let blocks: Record<string, unknown>[] = [];
  for (const value of values) {
    const block = blocks.at(-1) ?? {};
    const delta = fieldsOf(value['delta']);
    if (value['type'] === 'message') blocks = [...listOf(value['content'])];
    else if (value['type'] === 'message_start') blocks = [...listOf(fieldsOf(value['message'])['content'])];
    else if (value['type'] === 'content_block_start') blocks.push({ ...fieldsOf(value['content_block']) });
    else if (delta['type'] === 'text_delta') block['text'] = `${String(block['text'])}${String(delta['text'])}`;
    else if (delta['type'] === 'citations_delta')
      block['citations'] = [...listOf(block['citations']), delta['citation']];
    else if (delta['type'] === 'input_json_delta') block['input'] = joined(block, String(delta['partial_json']));
    else if (delta['type'] === 'compaction_delta') block['content'] = delta['content'];
    else if (value['type'] === 'content_block_stop' && typeof block['input'] === 'string')
      block['input'] = JSON.parse(block['input']) as unknown;
    if (value['type'] === 'message_stop') return blocks;
  }
  return blocks;
}

/** The input while it arrives: its text in place of the object that the block begins with. */
function joined({ input }: Fields, piece: string): unknown {
  if (typeof input === 'string') return input + piece;
  return piece === '' ? input : piece;
}

function blockParts(blocks: readonly Fields[]): readonly VendorPart[] {
  const names = new Map<unknown, string>();
  return blocks.flatMap((block): readonly VendorPart[] => {
    const { citations, id, name, text, tool_use_id: callId } = block;
    const type = String(block['type']);
    if (type === 'text') {
      return listOf(citations).length === 0 ? [] : [{ tool: 'citations', json: JSON.stringify([text, citations]) }];
    }
    if (type === 'tool_use' || type.endsWith('thinking')) return [];
    if (type === 'mcp_tool_use') names.set(id, 'mcp');
    else if (typeof name === 'string') names.set(id, name);
    const tool = names.get(id ?? callId) ?? type.replace(/_tool_result$/, '');
    return [{ tool, json: JSON.stringify(block) }];
  });
}

/** The items of a response: those that were announced as complete, or of its one body. */
function itemsOf(values: readonly Fields[]): readonly Fields[] {
  const ended = values.find(({ type }) => type === 'response.completed' || type === 'response.incomplete');
  const whole = values.length === 1 ? values[0] : fieldsOf(ended?.['response']);
  const output = listOf(whole?.['output']);
  const done = values.filter(({ type }) => type === 'response.output_item.done');
  // They end in another order than they have.
  const sorted = done.toSorted((a, b) => Number(a['output_index']) - Number(b['output_index']));
  return done.length > 0 ? sorted.map(({ item }) => fieldsOf(item)) : output;
}

function itemParts(items: readonly Fields[]): readonly VendorPart[] {
  return items.flatMap((item): readonly VendorPart[] => {
    const { content, role, type } = item;
    if (type === 'message' || role !== undefined) {
      const annotations = listOf(content).flatMap((part) => listOf(part['annotations']));
      return annotations.length === 0 ? [] : [{ tool: 'citations', json: JSON.stringify(annotations) }];
    }
    if (type === 'reasoning' || type === 'function_call' || type === 'function_call_output') return [];
    return [{ tool: String(type).replace(/_(?:call|output|call_output)$/, ''), json: JSON.stringify(item) }];
  });
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
