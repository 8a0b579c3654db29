import { bindTool, createRegistry, type ToolRegistry } from '@kernel/tools';

/** The tools that the prompts ask for: one that answers, one that throws, one that never returns, one that needs approval. */
export function soakTools(): ToolRegistry {
  return createRegistry([
    bindTool<{ at: number }>(
      {
        name: 'look',
        description: 'Looks.',
        parameters: { type: 'object', properties: { at: { type: 'number' } }, required: ['at'] },
        effect: 'read',
      },
      ({ at }) => ({ result: `RESULT ${at}`, text: 'What was found. '.repeat(20) }),
    ),
    simple('throws', () => {
      throw new TypeError('RESULT of a tool that throws');
    }),
    simple('hangs', () => new Promise(() => {})),
    simple('asks', () => 'RESULT RESULT RESULT'),
  ]);
}

function simple(name: string, handler: () => unknown) {
  return bindTool({ name, description: name, parameters: { type: 'object' } }, handler);
}
