// A process that inserts lines into one file of a memory and keeps notes: node writer.ts FOLDER STATE NAME COUNT
import { memoryTool, noteTools } from '../../src/memory/index.ts';
import { createWorkspace } from '../../src/workspace/index.ts';

const [root = '', state = '', name = '', count = ''] = process.argv.slice(2);
const workspace = await createWorkspace({ root, state: { folder: state }, write: ['**'] });
const context = { signal: new AbortController().signal, callId: '1', toolName: '' };
/** Tries again as the error says: on a busy machine others may hold the lock for ten seconds. */
async function run(tool: ReturnType<typeof memoryTool> | undefined, input: object): Promise<void> {
  try {
    await tool?.handler(input as never, context);
  } catch (error) {
    if (!String(error).includes('is locked by another process. Try again.')) throw error;
    await run(tool, input);
  }
}
const memory = memoryTool(workspace);
const [remember] = noteTools(workspace);
console.log('ready');
for (let index = 0; index < Number(count); index += 1) {
  const text = `${name}-${index}`;
  await run(memory, { command: 'insert', path: '/memories/shared.md', insert_line: 0, insert_text: text });
  await run(remember, { text });
}
