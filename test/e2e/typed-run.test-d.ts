import { createMemorySession, run, runSession, start } from '@kernel/agent';
import type { Provider } from '@kernel/protocol';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

// Types of the row types.context; `tsc` checks them: a run gets the context that the tools of its registry need together.
const tool = { description: '', input: z.object({}) };
const tools = createRegistry([
  defineTool<{ readonly db: string }>()({ ...tool, name: 'a', handler: (_, { context }) => context.db }),
  defineTool<{ readonly user: string }>()({ ...tool, name: 'b', handler: (_, { context }) => context.user }),
  defineTool({ ...tool, name: 'c', handler: () => 'c' }),
]);
declare const provider: Provider;
const options = { provider, model: 'm', messages: [] };
run({ ...options, tools, context: { db: 'd', user: 'ada' }, options: { temperature: 0, a_new_field: [1] } });
// @ts-expect-error -- the user is missing
run({ ...options, tools, context: { db: 'd' } });
// @ts-expect-error -- a number
run({ ...options, tools, options: { temperature: 'hot' } });
// @ts-expect-error -- no context at all
run({ ...options, tools });
run({ ...options, tools: createRegistry([defineTool({ ...tool, name: 'd', handler: () => 'd' })]) });
// A context without tools that need one
run({ ...options, context: { db: 'd' } });
// @ts-expect-error -- no context
start({ ...options, tools });
start({ ...options, tools, context: { db: 'd', user: 'ada' } });
// @ts-expect-error -- no context
runSession({ ...options, tools, session: createMemorySession() });
runSession({ ...options, tools, session: createMemorySession(), context: { db: 'd', user: 'ada' } });
