// One process of a server that scales: it keeps nothing between two requests but tasks, and those in a file.
import { openDurable } from '@kernel/durable';
import { isMcpCall, serveHttp, type TaskRecord } from '@kernel/mcp';
import { errorResult, wrapCalls } from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';

const { STATE_KEY: stateKey, TOKEN: token, TASKS: file = '' } = process.env;
const parameters = { type: 'object', properties: {} };
const registry = createRegistry([
  bindTool({ name: 'where', description: 'Says who answers.', effect: 'read', parameters }, () => `${process.pid}`),
  bindTool({ name: 'book', description: 'Books the room.', effect: 'external', parameters }, () => 'Booked.'),
  bindTool({ name: 'report', description: 'Writes the report.', effect: 'read', parameters }, () => 'The report.'),
]);

/** Asks before a room is booked. The answer may reach another process, where the handler begins anew: so it asks first. */
const toolset = wrapCalls(registry, (prepared, call, context) => ({
  ...prepared,
  async run(running) {
    if (call.name !== 'book' || !isMcpCall(context)) return prepared.run(running);
    const params = { message: 'Book it?', requestedSchema: { type: 'object', properties: {} } } as const;
    const { consent } = await context.ask({ consent: { method: 'elicitation/create', params } });
    return consent.action === 'accept' ? prepared.run(running) : errorResult('TOOL_DENIED: the user refused.');
  },
}));

const store = openDurable(file).taskStore<TaskRecord>();
const { url } = await serveHttp(toolset, { token, stateKey, tasks: { required: ['report'], store } });
process.send?.(url);
process.once('disconnect', () => process.exit());
