import { acpAgent, type AgentWorkspace } from '@kernel/acp';
import { collect, run } from '@kernel/agent';
import type { Approve, Provider, Toolset } from '@kernel/protocol';

// In place of `await createWorkspace({ root, write: ['**'] })` of @kernel/toolbox (without `write` no change comes back), and of an
// agent such as Gemini CLI, so that this runs anywhere:
const files = new Map([['a.txt', 'one\n']]);
const fileOf = (path: string) => {
  const text = files.get(path);
  if (text === undefined) throw new Error(`There is no ${path}.`);
  return { type: 'file' as const, size: text.length, mode: 0o644, version: text, bytes: Buffer.from(text) };
};
const workspace: AgentWorkspace = {
  folder: undefined,
  allows: () => true,
  stat: async (path) => fileOf(path),
  read: async (path) => fileOf(path),
  list: async () => [...files.keys()].map((name) => ({ name, type: 'file' as const })),
  apply: async (edits) => {
    for (const edit of edits) if (edit.type === 'write') files.set(edit.path, Buffer.from(edit.content).toString());
    return { id: '1' };
  },
};
const agent = `
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'initialize') send({ id, result: { protocolVersion: 1 } });
    if (method === 'session/new') send({ id, result: { sessionId: 's' } });
    if (method !== 'session/prompt') return;
    require('node:fs').writeFileSync('a.txt', 'two\\n');
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'It says two now.' } };
    send({ method: 'session/update', params: { sessionId: 's', update } });
    send({ id, result: { stopReason: 'end_turn' } });
  });
`;

const helper = acpAgent({ command: process.execPath, args: ['-e', agent], name: 'helper', workspace });
// createRegistry([helper]) of @kernel/tools is such a toolset.
const tools: Toolset = {
  list: () => [helper.tool],
  prepare: (call, context) => ({
    tool: helper.tool,
    arguments: call.arguments,
    runsAgent: true,
    run: (running) =>
      helper.handler(JSON.parse(call.arguments) as { task: string }, {
        ...context,
        ...running,
        callId: call.id,
        toolName: call.name,
      }),
  }),
};
const provider: Provider = {
  name: 'scripted',
  async *stream({ messages }) {
    const call = { type: 'tool-call', id: '1', name: 'helper', arguments: '{"task":"Let a.txt say two."}' } as const;
    const content = messages.length > 1 ? [{ type: 'text' as const, text: 'Done.' }] : [call];
    yield { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'stop' };
  },
};

// Asked about the call of the agent, what it asks for and what it has changed. Without an `approve` all of it is allowed.
const approve: Approve = ({ call, path }) =>
  path.length === 0 || call.name === 'apply_patch'
    ? { decision: 'allow' }
    : { decision: 'deny', reason: 'Only edit files.' };
const messages = [{ role: 'user', content: 'Have a.txt say two.' }] as const;
const { toolCalls } = await collect(run({ provider, model: 'm', messages, tools, approve }));
console.log(toolCalls[0]?.result.forLLM); // It says two now. … Done (change 1): M "a.txt"
console.log(files.get('a.txt')); // two

// @ts-expect-error -- an agent needs something to work on
acpAgent.bind(undefined, { command: 'gemini' });
