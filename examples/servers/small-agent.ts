// A small agent that speaks ACP: it puts a line at the top of each file that its task names, and asks before it runs a command.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';

let folder = '';
acp
  .agent({ name: 'small' })
  .onRequest('initialize', () => ({ protocolVersion: acp.PROTOCOL_VERSION }))
  .onRequest('session/new', ({ params }) => {
    folder = params.cwd;
    return { sessionId: 'one' };
  })
  .onRequest('session/prompt', async ({ params: { sessionId, prompt }, client }) => {
    const task = prompt.map((block) => (block.type === 'text' ? block.text : '')).join(' ');
    const files = task.match(/\w+\.txt/g) ?? [];
    for (const file of files) {
      const path = join(folder, file);
      writeFileSync(path, `Checked.\n${readFileSync(path, 'utf8')}`);
    }
    const { outcome } = await client.request('session/request_permission', {
      sessionId,
      toolCall: { toolCallId: '1', title: 'Delete the rest', kind: 'execute', rawInput: { command: 'rm -rf *' } },
      options: [
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    });
    const deleted = outcome.outcome === 'selected' && outcome.optionId === 'yes' ? 'deleted the rest' : 'left the rest';
    const text = `I checked ${files.join(' and ')}, and ${deleted}.`;
    await client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
    });
    return { stopReason: 'end_turn' };
  })
  .connect(
    acp.ndJsonStream(
      Writable.toWeb(process.stdout),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of Node and of the web name the same stream
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );
