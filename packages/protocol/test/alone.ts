// What a user of this package alone writes. Packed, installed, type-checked and run by scripts/rehearse.ts.
import { KernelError, type Tool, toErrorResult, type Toolset, toModelText } from '@kernel/protocol';

const clock: Tool = { name: 'clock', description: 'Tells the time.', parameters: { type: 'object', properties: {} } };
const tools: Toolset = {
  list: () => [clock],
  call: async (call) => toErrorResult(new KernelError('TOOL_NOT_FOUND', `No tool "${call.name}".`)),
};
const result = await tools.call(
  { type: 'tool-call', id: '1', name: 'clok', arguments: '{}' },
  { signal: AbortSignal.timeout(1000) },
);
if (toModelText(result) !== 'TOOL_NOT_FOUND: No tool "clok".') throw new Error(toModelText(result));
// @ts-expect-error -- a tool has no handler
const wrong: Tool = { ...clock, handler: () => {} };
void wrong;
console.log('alone: ok');
