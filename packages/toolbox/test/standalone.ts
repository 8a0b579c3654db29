// A program that uses this package alone. Packed, installed, type-checked and run by scripts/rehearse.ts, without a network.
import type { ToolContext } from '@kernel/protocol';
import { editFileTool, memoryWorkspace, overlayWorkspace } from '@kernel/toolbox';

const base = memoryWorkspace({ 'src/answer.ts': 'export const answer = 41;\n' });
const draft = overlayWorkspace(base);

// A registry would call the handler; here it is called directly.
const edit = editFileTool(draft);
const context: ToolContext = { signal: new AbortController().signal, callId: '1', toolName: edit.tool.name };
const input = { path: 'src/answer.ts', edits: [{ old_text: '41', new_text: '42' }] };
// The result has a summary for the model and a diff for the user.
console.log(await edit.handler(input as never, context));

const text = async () => new TextDecoder().decode((await base.read('src/answer.ts')).bytes).trim();
console.log(await text()); // export const answer = 41;
await draft.commit();
console.log(await text()); // export const answer = 42;
await base.undo();
console.log(await text()); // export const answer = 41;
