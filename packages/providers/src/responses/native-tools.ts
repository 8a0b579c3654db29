import { canonicalJson } from '@kernel/internal';
import { findJsonLoss, type JsonObject, type Message, toolCallsOf, type ToolMessage } from '@kernel/protocol';
import { asFields, asList, asText, type Fields, parseJson, toJson } from '../json-fields.ts';
import type { CallFragment } from '../wire/call-assembler.ts';
import { markError } from '../wire/media.ts';
import type { ToolDecoder } from '../wire/tool-encoder.ts';

/** The tools that OpenAI's models know and that run here, by the type of the items that call them. Custom tools have names of their own. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['apply_patch_call', 'apply_patch'],
  ['shell_call', 'shell'],
  ['local_shell_call', 'local_shell'],
  ['mcp_approval_request', 'mcp_approval'],
]);
const CUSTOM = 'custom_tool_call';

/** The name of the tool that a definition stands for and that runs here; undefined for one that the vendor runs. @internal */
export function nativeToolName({ type, name, environment }: JsonObject): string | undefined {
  if (type === 'custom') return asText(name);
  if (type === 'shell' && environment !== undefined && asFields(environment)?.['type'] !== 'local') return undefined;
  return type === 'apply_patch' || type === 'shell' || type === 'local_shell' ? type : undefined;
}

/** The tool choice that names such a tool. @internal */
export function nativeChoice(name: string): object {
  return [...NAMES.values()].includes(name) ? { type: name } : { type: 'custom', name };
}

/** Returns the call of an item that a tool of the request runs here; undefined for any other item. @internal */
export function callOfNativeItem(item: Fields, { nativeTools }: ToolDecoder): CallFragment | undefined {
  const type = asText(item['type']) ?? '';
  const name = type === CUSTOM ? asText(item['name']) : NAMES.get(type);
  if (name === undefined || nativeTools?.has(name) !== true) return undefined;
  const id = asText(type === 'mcp_approval_request' ? item['id'] : item['call_id']);
  return { id, name, arguments: JSON.stringify(argumentsOf(type, item)), providerData: { native: toJson(item) } };
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
      // A shell: what it leaves open is null.
      const entries = Object.entries(asFields(item['action']) ?? {}).filter(([, value]) => value !== null);
      return Object.fromEntries(entries);
    }
  }
}

/** The arguments of a call at the vendor: their text where parsing would lose something of it, so that whoever decides sees what would run. */
function exactArguments(text: string): unknown {
  const value = text.trim() === '' ? {} : parseJson(text);
  return value === undefined || findJsonLoss(text, value, true) !== undefined ? text : value;
}

/** The item that a call was read from, if it is one of these. @internal */
export function nativeItem(providerData: unknown): Fields | undefined {
  return asFields(asFields(providerData)?.['native']);
}

/** The items of such calls in a history, by the id of the call. @internal */
export function nativeCalls(messages: readonly Message[], vendor: string): ReadonlyMap<string, Fields> {
  const items = new Map<string, Fields>();
  for (const message of messages) {
    if (message.role !== 'assistant' || message.provider?.vendor !== vendor) continue;
    for (const call of toolCallsOf(message)) {
      const item = nativeItem(call.providerData);
      if (item !== undefined) items.set(call.id, item);
    }
  }
  return items;
}

/** Encodes the result of such a call. @internal */
export function nativeResult(item: Fields, message: ToolMessage, text: string): object {
  const isError = message.isError === true;
  const type = asText(item['type']) ?? '';
  const callId = item['call_id'];
  switch (type) {
    case 'mcp_approval_request': {
      // The vendor runs the call as it is: an answer about other arguments, such as edited ones, is no approval of it.
      const isApproved = !isError && canonicalJson(parseJson(text)) === canonicalJson(argumentsOf(type, item));
      const reason = isError ? text : 'The call cannot run with other arguments than these.';
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

/** The outputs of the commands, where the tool gives them as a list with `stdout`; otherwise its text as the output of one. */
function shellOutput(text: string, isError: boolean): readonly unknown[] {
  const outputs = asList(parseJson(text));
  if (outputs.length > 0 && outputs.every((output) => asText(asFields(output)?.['stdout']) !== undefined))
    return outputs;
  const outcome = { type: 'exit', exit_code: isError ? 1 : 0 };
  return [isError ? { stdout: '', stderr: text, outcome } : { stdout: text, stderr: '', outcome }];
}
