// What the compiler does for ten tools with four fields each and a loop over them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const schema = (at) =>
  `z.object({ a: z.string(), b: z.number(), c: z.enum(['up', 'down']), f${at}: z.array(z.string()) })`;
const ten = (one) => Array.from({ length: 10 }, (_, at) => one(at));
const HANDLER = '({ a, b }) => a.repeat(b)';

const SOURCES = {
  ours: () => `import * as z from 'zod';
import { createRegistry, defineTool } from '@kernel/tools';
import { run } from '@kernel/agent';
import { createProvider } from '@kernel/providers';
const tools = createRegistry([${ten((at) => `defineTool({ name: 't${at}', description: 'd', input: ${schema(at)}, handler: ${HANDLER} })`).join(',\n')}]);
export const events = run({ provider: createProvider({ name: 'openai' }), model: 'm', messages: [], tools });`,
  openai: () => `import * as z from 'zod';
import OpenAI from 'openai';
import { zodFunction } from 'openai/helpers/zod';
export const runner = new OpenAI().chat.completions.runTools({ model: 'm', messages: [], tools: [${ten((at) => `zodFunction({ name: 't${at}', description: 'd', parameters: ${schema(at)}, function: ${HANDLER} })`).join(',\n')}] });`,
  'ai-sdk': () => `import * as z from 'zod';
import { generateText, tool } from 'ai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
const model = createOpenAICompatible({ name: 'm', baseURL: 'http://127.0.0.1' })('m');
export const result = generateText({ model, prompt: 'Go.', tools: {${ten((at) => `t${at}: tool({ description: 'd', inputSchema: ${schema(at)}, execute: async ${HANDLER} })`).join(',\n')}} });`,
  'openai-agents': () => `import * as z from 'zod';
import { Agent, run, tool } from '@openai/agents';
const agent = new Agent({ name: 'a', tools: [${ten((at) => `tool({ name: 't${at}', description: 'd', parameters: ${schema(at)}, execute: ${HANDLER} })`).join(',\n')}] });
export const result = run(agent, 'Go.');`,
  langchain: () => `import * as z from 'zod';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';
const agent = createAgent({ model: new ChatOpenAI({ model: 'm' }), tools: [${ten((at) => `tool(${HANDLER}, { name: 't${at}', description: 'd', schema: ${schema(at)} })`).join(',\n')}] });
export const result = agent.invoke({ messages: [] });`,
  mastra: () => `import * as z from 'zod';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
const agent = new Agent({ id: 'a', name: 'a', instructions: '', model: 'openai/m', tools: {${ten((at) => `t${at}: createTool({ id: 't${at}', description: 'd', inputSchema: ${schema(at)}, execute: async ${HANDLER} })`).join(',\n')}} });
export const result = agent.generate('Go.');`,
  tanstack: () => `import * as z from 'zod';
import { chat, toolDefinition } from '@tanstack/ai';
import { openaiCompatibleText } from '@tanstack/ai-openai/compatible';
const adapter = openaiCompatibleText('m', { baseURL: 'http://127.0.0.1', apiKey: 'none' });
export const result = chat({ adapter, messages: [], tools: [${ten((at) => `toolDefinition({ name: 't${at}', description: 'd', inputSchema: ${schema(at)} }).server(async ${HANDLER})`).join(',\n')}] });`,
};

/** Instantiations, seconds and memory of the compiler, or undefined for a contender without tools of its own. Errors in the types are told. */
export function typeCost(name) {
  const source = SOURCES[name]?.();
  if (source === undefined) return undefined;
  // Ours are resolved as the tests of the workspace do, the others from this folder.
  const folder = mkdtempSync(join(name === 'ours' ? file('../../../test/e2e') : file('..'), 'types-'));
  try {
    writeFileSync(join(folder, 'tools.ts'), source);
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--target',
      'es2024',
      '--module',
      'nodenext',
      '--types',
      '',
    ];
    const { stdout } = spawnSync(
      file('../../../node_modules/.bin/tsc'),
      [...options, '--ignoreConfig', '--extendedDiagnostics', join(folder, 'tools.ts')],
      { encoding: 'utf8' },
    );
    const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
    if (errors.length > 0) console.error(`${name}: ${errors[0]}`);
    const figure = (label) => new RegExp(`^${label}:\\s*([\\d.]+\\S*)`, 'm').exec(stdout)?.[1] ?? '?';
    return {
      instantiations: Number(figure('Instantiations')),
      seconds: figure('Total time').replace('s', ''),
      memory: figure('Memory used'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
