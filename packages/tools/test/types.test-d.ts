// oxlint-disable typescript/no-unnecessary-type-parameters -- types are compared by functions over them
import type { Tool, ToolContext, ToolResult, Toolset } from '@kernel/protocol';
import * as z from 'zod';
import { type ToolBinding, type ToolRegistry, bindTool, createRegistry, defineTool } from '../src/index.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const check = <T extends true>(): T | undefined => undefined;

// Types of the row tool.fields; `tsc` checks them.
check<
  Equal<keyof Tool, 'name' | 'description' | 'parameters' | 'title' | 'outputSchema' | 'strict' | 'effect' | 'metadata'>
>();

// Types of the row result.fields; `tsc` checks them.
check<
  Equal<
    keyof ToolResult,
    'forLLM' | 'forUser' | 'silent' | 'isError' | 'code' | 'async' | 'data' | 'media' | 'outcome' | 'repairs' | 'error'
  >
>();

// Types of the row tools.define.binding; `tsc` checks them.
check<Equal<Extract<keyof ToolBinding, keyof Tool>, never>>();
declare const binding: ToolBinding;
// @ts-expect-error a binding bears a handler and is no tool
export const asTool: Tool = binding;
// @ts-expect-error so that a list of bindings is no list of tools either
export const asTools: readonly Tool[] = [binding];

// Types of the row tools.define.zod; `tsc` checks them.
defineTool({
  name: 'a',
  description: '',
  input: z.object({ city: z.string(), days: z.int().default(3), tags: z.array(z.enum(['x', 'y'])).optional() }),
  handler(input, context) {
    check<Equal<typeof input, { city: string; days: number; tags?: ('x' | 'y')[] | undefined }>>();
    check<Equal<typeof context, ToolContext>>();
  },
});
// @ts-expect-error the parameters come from the input schema
defineTool({ name: 'a', description: '', parameters: {}, input: z.object({}), handler: () => 1 });
const plain = { '~standard': { version: 1 as const, vendor: 'x', validate: () => ({ value: 1 }) } };
// @ts-expect-error a schema without a JSON form cannot be sent to a model
defineTool({ name: 'a', description: '', input: plain, handler: () => 1 });

bindTool<{ readonly city: string }>({ name: 'a', description: '', parameters: {} }, ({ city }) => city, {
  concurrency: { key: ({ city }: { city: string }) => city },
});

declare const registry: ToolRegistry;
export const toolset: Toolset = registry;
export const view: Toolset = createRegistry().view({ effect: 'read' });
