// What a user of this package alone writes. Packed, installed, type-checked and run by scripts/rehearse.ts, without a network.
import type { ToolContext } from '@kernel/protocol';
import { editFileTool, memoryWorkspace, overlayWorkspace } from '@kernel/toolbox';

const base = memoryWorkspace({ 'src/answer.ts': 'export const answer = 41;\n' });
const draft = overlayWorkspace(base);

// A registry would call the handler; here it is called directly.
const edit = editFileTool(draft);
const context: ToolContext = { signal: new AbortController().signal, callId: '1', toolName: edit.tool.name };
const input = { path: 'src/answer.ts', edits: [{ old_text: '41', new_text: '42' }] };
console.log(await edit.handler(input as never, context)); // a summary for the model, a diff for the user

const text = async () => new TextDecoder().decode((await base.read('src/answer.ts')).bytes);
if (!(await text()).includes('41')) throw new Error('the base changed before the commit');
await draft.commit();
if (!(await text()).includes('42')) throw new Error('the commit is lost');
await base.undo();
if (!(await text()).includes('41')) throw new Error('nothing was undone');
console.log('alone: ok');
