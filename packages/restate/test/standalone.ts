// What this package does on its own: turn any loop that records its steps into a workflow. As here, Restate asks a worker which services it has.
import { createServer } from 'node:http';
import { agentWorkflow } from '@kernel/restate';
import { createEndpointHandler } from '@restatedev/restate-sdk';

const courier = agentWorkflow('courier', {
  async *run({ steps }) {
    const deliver = async () => ({ number: 1 });
    // Once recorded, this step never runs again, whatever happens.
    const [output] = await steps.all([{ id: 'tool:1', kind: 'tool', input: {}, run: deliver }]);
    const totals = { turns: 1, messages: [], usage: { inputTokens: 0, outputTokens: 0 } };
    yield { type: 'run-end', reason: 'done', answer: JSON.stringify(output), ...totals };
  },
});

const worker = createServer(createEndpointHandler({ services: [courier], logger: () => {} }));
await new Promise<void>((resolve) => worker.listen(0, '127.0.0.1', resolve));
const address = worker.address();
if (address === null || typeof address === 'string') throw new Error('no port');
const response = await fetch(`http://127.0.0.1:${address.port}/discover`, {
  headers: { accept: 'application/vnd.restate.endpointmanifest.v3+json' },
});
const { services } = (await response.json()) as { services: { name: string; ty: string }[] };
worker.close();
worker.closeAllConnections();
console.log(services[0]?.name, services[0]?.ty); // courier WORKFLOW
