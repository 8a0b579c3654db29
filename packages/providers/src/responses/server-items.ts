import type { Citation, Source } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields } from '../json-fields.ts';
import { citationOf, serverToolCall, serverToolResult, sourceLines, sourceOf } from '../wire/server-tools/parts.ts';

interface ItemReading {
  readonly name?: string | undefined;
  readonly input?: unknown;
  readonly text?: string;
  readonly sources?: readonly Source[];
  readonly isError?: boolean;
}

/** https://platform.openai.com/docs/api-reference/responses/object. Most hold the call and its result. */
const READERS: ReadonlyMap<string, (item: Fields) => ItemReading> = new Map([
  ['web_search_call', readWebSearch],
  ['file_search_call', readFileSearch],
  ['code_interpreter_call', readCodeInterpreter],
  ['image_generation_call', readImageGeneration],
  ['mcp_call', readMcpCall],
]);
/** Items with only a result, and the type of the item with its call. */
const OUTPUTS: ReadonlyMap<string, string> = new Map([
  ['shell_call_output', 'shell_call'],
  ['tool_search_output', 'tool_search_call'],
]);

export function createServerItemReader() {
  /** Some outputs do not name their call. */
  const lastIds = new Map<string, string>();
  return (item: Fields) => {
    const type = asText(item['type']) ?? '';
    const id = (asText(item['call_id']) || asText(item['id'])) ?? '';
    const callType = OUTPUTS.get(type);
    if (callType !== undefined) {
      const callId = asText(item['call_id']) ?? lastIds.get(callType) ?? id;
      return [serverToolResult({ callId, name: nameOf(callType), text: outputText(item), data: item })];
    }
    if (!type.endsWith('_call')) return undefined;
    lastIds.set(type, id);
    const known = READERS.get(type);
    const { name, input = inputOf(item), ...result } = known?.(item) ?? { name: asText(item['name']) };
    const tool = name ?? nameOf(type);
    const call = serverToolCall({ id, name: tool, input, data: item });
    const failed = item['status'] === 'failed';
    return known !== undefined
      ? [call, serverToolResult({ callId: id, name: tool, ...result, isError: failed || result.isError === true })]
      : [call];
  };
}

function nameOf(type: string): string {
  return type.slice(0, -'_call'.length);
}

function inputOf(item: Fields): unknown {
  return item['arguments'] ?? item['action'] ?? item['operation'] ?? { input: item['input'] };
}

function readWebSearch(item: Fields): ItemReading {
  const action = asFields(item['action']) ?? {};
  const sources = asList(action['sources']).map((source) => sourceOf(asFields(source) ?? {}));
  const { sources: _sources, ...input } = action;
  return { input, text: sourceLines(sources), sources };
}

function readFileSearch(item: Fields): ItemReading {
  const results = asList(item['results']).map((result) => asFields(result) ?? {});
  const sources = results.map((result) => sourceOf({ title: result['filename'], document: result['file_id'] }));
  const texts = results.flatMap((result) => asText(result['text']) ?? []);
  return { input: { queries: item['queries'] }, text: texts.join('\n\n'), sources };
}

function readCodeInterpreter(item: Fields): ItemReading {
  const logs = asList(item['outputs']).flatMap((output) => asText(asFields(output)?.['logs']) ?? []);
  return { input: { code: item['code'] }, text: logs.join('\n') };
}

function readImageGeneration(item: Fields): ItemReading {
  const format = asText(item['output_format']) ?? 'png';
  const text = typeof item['result'] === 'string' ? `An image (${format}).` : '';
  return { input: { prompt: item['revised_prompt'] }, text };
}

function readMcpCall(item: Fields): ItemReading {
  const error = asText(item['error']) ?? asText(asFields(item['error'])?.['message']);
  const isError = item['error'] !== undefined && item['error'] !== null;
  return { name: asText(item['name']), text: error ?? asText(item['output']) ?? '', isError };
}

function outputText(item: Fields): string {
  const tools = asList(item['tools']).flatMap((tool) => asText(asFields(tool)?.['name']) ?? []);
  const outputs = asList(item['output']).map((output) => asFields(output) ?? {});
  const texts = outputs.flatMap(({ stdout, stderr }) => [asText(stdout) ?? '', asText(stderr) ?? '']);
  return [...tools, ...texts].filter((text) => text !== '').join('\n');
}

/** `offset`: where the text begins in its part; `length`: that of the part so far. */
export function readAnnotation(annotation: Fields, length: number, offset: number): Citation {
  const { url, title, filename, file_id: document } = annotation;
  const start = (asNumber(annotation['start_index']) ?? -1) + offset;
  const end = (asNumber(annotation['end_index']) ?? -1) + offset;
  const isInText = start >= offset && start < end && end <= length;
  return citationOf({
    url,
    title: title ?? filename,
    document,
    span: isInText ? { start, end } : undefined,
  });
}
