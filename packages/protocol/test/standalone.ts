// A program that uses this package alone. Packed, installed, type-checked and run by scripts/rehearse.ts.
import { KernelError, type Tool, toErrorResult, type Toolset, toModelText, callTool } from '@kernel/protocol';

const clock: Tool = { name: 'clock', description: 'Tells the time.', parameters: { type: 'object', properties: {} } };
const list = Object.freeze([clock]);
const tools: Toolset = {
  list: () => list,
  prepare: (call) => toErrorResult(new KernelError('TOOL_NOT_FOUND', `No tool "${call.name}".`)),
};
const result = await callTool(
  tools,
  { type: 'tool-call', id: '1', name: 'clok', arguments: '{}' },
  { signal: AbortSignal.timeout(1000) },
);
// @ts-expect-error -- a tool has no handler
const wrong: Tool = { ...clock, handler: () => {} };
void wrong;
console.log(toModelText(result)); // TOOL_NOT_FOUND: No tool "clok".
