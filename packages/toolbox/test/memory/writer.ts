// A process that inserts lines into one file of a memory and keeps notes: node writer.ts FOLDER STATE NAME COUNT
import { memoryTool, noteTools } from '../../src/memory/index.ts';
import { createWorkspace } from '../../src/workspace/index.ts';

const [root = '', state = '', name = '', count = ''] = process.argv.slice(2);
const workspace = await createWorkspace({ root, state: { folder: state }, write: ['**'] });
const context = { signal: new AbortController().signal, callId: '1', toolName: '' };
const run = async (tool: ReturnType<typeof memoryTool> | undefined, input: object): Promise<unknown> =>
  tool?.handler(input as never, context);
const memory = memoryTool(workspace);
const [remember] = noteTools(workspace);
console.log('ready');
for (let index = 0; index < Number(count); index += 1) {
  const text = `${name}-${index}`;
  await run(memory, { command: 'insert', path: '/memories/shared.md', insert_line: 0, insert_text: text });
  await run(remember, { text });
}
