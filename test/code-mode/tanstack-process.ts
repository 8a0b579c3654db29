/** Runs programs in TanStack's sandbox, in a process of its own: an assertion of its engine that fails ends the process, or leaves it waiting. */
import { createQuickJSIsolateDriver } from '@tanstack/ai-isolate-quickjs';
import { callTool, TOOLS } from './tools.ts';

const driver = createQuickJSIsolateDriver({ timeout: 5000 });
const names = Object.keys(TOOLS);
const bindings = Object.fromEntries(
  names.map((name) => [
    name,
    {
      name,
      description: name,
      inputSchema: { type: 'object' as const },
      execute: (input: unknown) => callTool(name, input),
    },
  ]),
);

process.on('message', (code: string) => {
  void (async () => {
    const isolate = await driver.createContext({ bindings });
    const result = await isolate.execute(`const tools = { ${names.join(', ')} };\n${code}`);
    process.send?.(result.success ? { value: result.value } : { value: `failed: ${result.error?.message ?? ''}` });
    await isolate.dispose();
  })();
});
process.send?.('ready');
