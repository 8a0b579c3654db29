import { isMcpCall } from '@kernel/mcp';
import {
  type CallContext,
  errorResult,
  type Tool,
  type ToolResult,
  toolResult,
  type Toolset,
  type ToolCall,
  type RunningCall,
} from '@kernel/protocol';

/** What the client is asked in the middle of a call. */
export const FORM = {
  type: 'object' as const,
  properties: { name: { type: 'string' as const } },
  required: ['name'],
};
export const QUESTION = 'What is your name?';

const NUMBER = { type: 'number' };
const tool = (name: string, properties: object, more: Partial<Tool> = {}): Tool =>
  Object.freeze({
    name,
    description: `The tool ${name}.`,
    effect: 'read' as const,
    parameters: { type: 'object', properties, required: Object.keys(properties) },
    ...more,
  });

const LIST = Object.freeze([
  tool('add', { a: NUMBER, b: NUMBER }, { outputSchema: { type: 'object', properties: { sum: NUMBER } } }),
  tool('fail', {}),
  tool('work', {}),
  tool('ask', {}),
  tool('hang', {}),
]);

/** The tools of the matrix. `began` and `ended` tell of a call of `hang`, which ends when it is aborted. */
export function ourTools(): Toolset & { readonly began: Promise<void>; readonly ended: Promise<void> } {
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const perform = async (
    { name, arguments: text }: ToolCall,
    context: CallContext & RunningCall,
  ): Promise<ToolResult> => {
    switch (name) {
      case 'add': {
        const { a, b } = JSON.parse(text) as { readonly a: number; readonly b: number };
        return { forLLM: String(a + b), data: { sum: a + b } };
      }
      case 'fail':
        return errorResult('TOOL_FAILED: It fails.');
      case 'work':
        context.onProgress?.('half of it');
        // The SDK's client drops progress that it reads together with the result.
        await new Promise((resolve) => setTimeout(resolve, 50));
        return toolResult('Done.');
      case 'ask': {
        if (!isMcpCall(context)) throw new Error('There is nobody to ask.');
        const params = { message: QUESTION, requestedSchema: FORM };
        const { who } = await context.ask({ who: { method: 'elicitation/create', params } });
        return toolResult(`Hello, ${String(who.content?.['name'])}!`);
      }
      case 'hang':
        context.signal.addEventListener('abort', () => end());
        begin();
        await ended;
        return toolResult('Ended.');
      default:
        return errorResult(`TOOL_NOT_FOUND: ${name}`);
    }
  };
  return {
    list: () => LIST,
    began,
    ended,
    prepare(call, context) {
      const found = LIST.find(({ name }) => name === call.name);
      if (found === undefined) return errorResult(`TOOL_NOT_FOUND: ${call.name}`);
      return { tool: found, arguments: call.arguments, run: (running) => perform(call, { ...context, ...running }) };
    },
  };
}
