// oxlint-disable typescript/no-unnecessary-type-parameters -- types are compared by functions over them
import type { JsonValue, ToolContext, ToolResult, Toolset, TurnContext } from '@kernel/protocol';
import * as z from 'zod';
import { type ToolBinding, type ToolRegistry, bindTool, createRegistry, defineTool } from '../src/index.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const check = <T extends true>(): T | undefined => undefined;

interface App {
  readonly db: { readonly find: (id: string) => string };
}
interface Session {
  readonly user: string;
}

const weather = defineTool({
  name: 'weather',
  description: '',
  input: z.object({ city: z.string(), days: z.int().default(1) }),
  output: z.object({ celsius: z.number(), wind: z.string().optional() }),
  concurrency: { max: 1, key: ({ city, days }) => `${city} ${days.toFixed()}` },
  handler: () => ({ celsius: 3 }),
});
const find = defineTool<App>()({
  name: 'find',
  description: '',
  input: z.object({ id: z.string() }),
  metadata: { optionality: 'conditional' },
  when(turn) {
    check<Equal<typeof turn, TurnContext<App>>>();
    return turn.context?.db !== undefined;
  },
  handler({ id }, context) {
    check<Equal<typeof context, ToolContext<App> & { readonly context: App }>>();
    return context.context.db.find(id);
  },
});
const greet = bindTool<{ readonly name: string }, Session, 'greet'>(
  { name: 'greet', description: '', parameters: {} },
  ({ name }, { context }) => `${name} from ${context.user}`,
);
const ping = defineTool({
  name: 'ping',
  description: '',
  input: z.object({ ms: z.number().optional() }),
  handler: () => 'pong',
});
const named = bindTool({ name: 'named', description: '', parameters: {} }, ({ at }: { readonly at: string }) => at);

// Types of the row types.execute; `tsc` checks them.
const registry = createRegistry([weather, ping, named]);
export async function execute(name: string): Promise<void> {
  const result = await registry.execute('weather', { city: 'Oslo' });
  check<Equal<typeof result, ToolResult<{ celsius: number; wind?: string }>>>();
  check<Equal<Awaited<ReturnType<typeof registry.execute<'ping'>>>['data'], JsonValue | undefined>>();
  await registry.execute('weather', '{"city":"Oslo"}');
  await registry.execute('ping');
  await registry.execute('named', { at: 'x' });
  await registry.executeOrThrow('ping', { ms: 3 });
  await registry.execute(name, { anything: 1 });
  // @ts-expect-error -- no tool of this name
  await registry.execute('wether', { city: 'Oslo' });
  // @ts-expect-error -- the city is missing
  await registry.execute('weather', { days: 2 });
  // @ts-expect-error -- a number
  await registry.execute('weather', { city: 'Oslo', days: 'two' });
  // @ts-expect-error -- arguments are needed
  await registry.execute('weather');
  const untyped: ToolRegistry = registry;
  await untyped.execute('anything', { a: 1 });
  await createRegistry([]).execute('anything');
}

// Types of the row types.context; `tsc` checks them.
const needy = createRegistry([weather, find, greet]);
export const toolset: Toolset<App & Session> = needy;
export const plain: ToolRegistry = needy;
export const bindings: readonly ToolBinding[] = [weather, find, greet];
declare const app: App;
export async function executeInContext(): Promise<void> {
  await needy.execute('find', { id: '1' }, { context: app });
  await needy.execute('weather', { city: 'Oslo' });
  // @ts-expect-error -- the context is missing
  await needy.execute('find', { id: '1' });
  // @ts-expect-error -- of another type
  await needy.execute('find', { id: '1' }, { context: { user: 'ada' } });
}
type ContextOf<T> = T extends Toolset<infer Context> ? Context : never;
check<Equal<ContextOf<typeof needy>, App & Session>>();
check<Equal<ContextOf<typeof registry>, unknown>>();

// Types of the row types.events; `tsc` checks them.
registry.onEvent((event) => {
  if (event.type === 'call-end' && event.name === 'weather') {
    check<Equal<typeof event.arguments, { city: string; days?: number | undefined } | undefined>>();
    check<Equal<NonNullable<typeof event.result>['data'], { celsius: number; wind?: string } | undefined>>();
  }
  if (event.type === 'call-start') check<Equal<typeof event.name, 'weather' | 'ping' | 'named'>>();
  // @ts-expect-error -- no tool of this name
  if (event.type === 'call-start' && event.name === 'wether') check();
});

// Types of the row types.output; `tsc` checks them.
const output = z.object({ n: z.number(), unit: z.string().default('m') });
const common = { name: 'o', description: '', input: z.object({}), output };
defineTool({ ...common, handler: () => ({ n: 1 }) });
defineTool({ ...common, handler: async () => ({ n: 1, unit: 'km' }) });
defineTool({ ...common, handler: () => ({ forLLM: 'one', data: { n: 1 } }) });
defineTool({
  ...common,
  async *handler() {
    yield 'half';
    return { n: 1 };
  },
});
// @ts-expect-error -- a text
defineTool({ ...common, handler: () => ({ n: '1' }) });
// @ts-expect-error -- nothing
defineTool({ ...common, handler: () => undefined });
// @ts-expect-error -- the data of a result has the same type
defineTool({ ...common, handler: () => ({ forLLM: 'one', data: { n: '1' } }) });
// @ts-expect-error -- the key function gets the parsed input
defineTool({ ...common, concurrency: { key: ({ city }) => city }, handler: () => ({ n: 1 }) });
