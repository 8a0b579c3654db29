// A program that serves over its own standard input and output, for the tests beside it.
import { bindTool, createRegistry } from '@kernel/tools';
import { serveStdio } from '../../src/index.ts';

const anything = { type: 'object', additionalProperties: true };
const registry = createRegistry([
  bindTool({ name: 'echo', description: 'Echoes.', effect: 'read', parameters: anything }, (input) =>
    JSON.stringify(input),
  ),
  bindTool({ name: 'grow', description: 'Adds a tool.', parameters: {} }, () => {
    registry.register(bindTool({ name: 'grown', description: 'Was added.', parameters: {} }, () => 'grown'));
    return 'added';
  }),
  bindTool({ name: 'hang', description: 'Hangs until it is aborted.', parameters: {} }, async (_input, { signal }) => {
    console.error('began');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    console.error('aborted');
    return 'stopped';
  }),
  bindTool({ name: 'ignore', description: 'Never ends.', parameters: {} }, () => {
    console.error('began');
    return new Promise(() => {});
  }),
]);
const server = serveStdio(registry, { name: 'program', version: '1.2.3' });
await server.closed;
console.error('closed');
