import { canonicalJson } from '@kernel/internal';
import { findJsonLoss, type JsonObject, type Message, toolCallsOf, type ToolMessage } from '@kernel/protocol';
import { asFields, asList, asText, type Fields, parseJson, toJson } from '../json-fields.ts';
import type { CallFragment } from '../wire/call-assembler.ts';
import { markError } from '../wire/media.ts';
import { type ToolDecoder, type CallTypes, isCall } from '../wire/tool-encoder.ts';

/** Custom tools are named by the caller. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['apply_patch_call', 'apply_patch'],
  ['shell_call', 'shell'],
  ['local_shell_call', 'local_shell'],
  ['mcp_approval_request', 'mcp_approval'],
]);
const CUSTOM = 'custom_tool_call';

/** Those of client tools are calls where a tool of that name was on offer; otherwise the vendor ran them. */
export const RESPONSES_CALLS: CallTypes & {
  readonly client: readonly string[];
} = {
  calls: ['function_call'],
  client: [CUSTOM, ...NAMES.keys()],
  vendor: [
    'web_search_call',
    'file_search_call',
    'code_interpreter_call',
    'image_generation_call',
    'mcp_call',
    'tool_search_call',
    '*_output',
  ],
};

/** An item of a type that nobody knows is one if a tool of its name was on offer. */
export function isFunctionCall(item: Fields, decoder: ToolDecoder): boolean {
  const type = asText(item['type']) ?? '';
  return !RESPONSES_CALLS.client.includes(type) && isCall(RESPONSES_CALLS, type, asText(item['name']), decoder);
}

/** Returns undefined for a tool that the vendor runs. */
export function clientToolName({ type, name, environment }: JsonObject): string | undefined {
  if (type === 'custom') return asText(name);
  if (type === 'shell' && environment !== undefined && asFields(environment)?.['type'] !== 'local') return undefined;
  return type === 'apply_patch' || type === 'shell' || type === 'local_shell' ? type : undefined;
}

/** Returns undefined for a definition of several tools. */
export function modelNameOf({ type, name }: JsonObject): string | undefined {
  if (type === 'custom' || type === 'function') return asText(name);
  if (type === 'mcp' || type === 'namespace') return undefined;
  // Versions of one tool have types such as `web_search_preview_2025_03_11`.
  return asText(type)?.replace(/(?:_preview)?(?:_\d{4}_\d\d_\d\d)?$/, '');
}

/** A custom tool may have any name, that of a client tool of the vendor too. */
export function clientToolChoice(name: string, definition: JsonObject | undefined): object {
  return definition?.['type'] === 'custom' ? { type: 'custom', name } : { type: name };
}

export function readClientCall(item: Fields, { offers }: ToolDecoder): CallFragment | undefined {
  const type = asText(item['type']) ?? '';
  const name = type === CUSTOM ? asText(item['name']) : NAMES.get(type);
  if (name === undefined || !offers(name)) return undefined;
  const id = asText(type === 'mcp_approval_request' ? item['id'] : item['call_id']);
  return { id, name, arguments: JSON.stringify(argumentsOf(type, item)), providerData: { clientCall: toJson(item) } };
}

function argumentsOf(type: string, item: Fields): unknown {
  switch (type) {
    case CUSTOM:
      return { input: item['input'] };
    case 'apply_patch_call':
      return item['operation'];
    case 'mcp_approval_request':
      return {
        server_label: item['server_label'],
        name: item['name'],
        arguments: exactArguments(asText(item['arguments']) ?? ''),
      };
    default: {
      // A shell call has null for absent fields.
      const entries = Object.entries(asFields(item['action']) ?? {}).filter(([, value]) => value !== null);
      return Object.fromEntries(entries);
    }
  }
}

/** Their text if parsing would lose something, so that what is approved is what runs. */
function exactArguments(text: string): unknown {
  const value = text.trim() === '' ? {} : parseJson(text);
  return value === undefined || findJsonLoss(text, value, true) !== undefined ? text : value;
}

export function clientCallItem(providerData: unknown): Fields | undefined {
  return asFields(asFields(providerData)?.['clientCall']);
}

/** Maps the id of each call to its item. */
export function clientCallItems(messages: readonly Message[], vendor: string): ReadonlyMap<string, Fields> {
  const items = new Map<string, Fields>();
  for (const message of messages) {
    if (message.role !== 'assistant' || message.provider?.vendor !== vendor) continue;
    for (const call of toolCallsOf(message)) {
      const item = clientCallItem(call.providerData);
      if (item !== undefined) items.set(call.id, item);
    }
  }
  return items;
}

export function clientCallResult(item: Fields, message: ToolMessage, text: string): object {
  const isError = message.isError === true;
  const type = asText(item['type']) ?? '';
  const callId = item['call_id'];
  switch (type) {
    case 'mcp_approval_request': {
      // The vendor runs the call unchanged, so a result for other arguments, such as edited ones, does not approve it.
      const isApproved = !isError && canonicalJson(parseJson(text)) === canonicalJson(argumentsOf(type, item));
      const reason = isError ? text : 'The call cannot run with other arguments.';
      return {
        type: 'mcp_approval_response',
        approval_request_id: item['id'],
        approve: isApproved,
        ...(isApproved ? {} : { reason }),
      };
    }
    case 'apply_patch_call':
      return {
        type: 'apply_patch_call_output',
        call_id: callId,
        status: isError ? 'failed' : 'completed',
        output: text,
      };
    case 'shell_call':
      return { type: 'shell_call_output', call_id: callId, output: shellOutput(text, isError) };
    default:
      return { type: `${type}_output`, call_id: callId, output: markError(text, isError) };
  }
}

/** An array of objects with `stdout` as it is, any other text as the output of one command. */
function shellOutput(text: string, isError: boolean): readonly unknown[] {
  const outputs = asList(parseJson(text));
  if (outputs.length > 0 && outputs.every((output) => asText(asFields(output)?.['stdout']) !== undefined))
    return outputs;
  const outcome = { type: 'exit', exit_code: isError ? 1 : 0 };
  return [isError ? { stdout: '', stderr: text, outcome } : { stdout: text, stderr: '', outcome }];
}
