/** The program of a model that every runtime runs, in the sandbox that is given or in a worker. */
import { withCodeMode } from '@kernel/code-mode';
import { callTool, type Sandbox } from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';

const parameters = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const;
const tool = { name: 'price', description: 'Tells a price.', effect: 'read', parameters } as const;

/** Runs one program that ends and one that does not; resolves to what each gave. */
export async function runPrograms(sandbox?: Sandbox): Promise<readonly string[]> {
  const price = bindTool(tool, (input) => ({ euros: Number(input['id']) * 10 }));
  const tools = withCodeMode(createRegistry([price]), { sandbox, limits: { computeMs: 300 } });
  const { signal } = new AbortController();
  const results: string[] = [];
  for (const code of [
    'return (await Promise.all([1, 2].map((id) => tools.price({ id })))).map(({ euros }) => euros)',
    'for (;;) {}',
  ]) {
    const call = { type: 'tool-call', id: '1', name: 'run_code', arguments: JSON.stringify({ code }) } as const;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    results.push((await callTool(tools, call, { signal })).forLLM);
  }
  return results;
}
