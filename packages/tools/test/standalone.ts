// A program that uses this package alone. Packed, installed, type-checked and run by scripts/rehearse.ts.
import type { Tool } from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';

const convert = bindTool<{ readonly celsius: number }>(
  {
    name: 'to_fahrenheit',
    description: 'Converts a temperature from Celsius to Fahrenheit.',
    effect: 'read',
    parameters: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
  },
  ({ celsius }) => `${(celsius * 9) / 5 + 32} °F`,
);
const registry = createRegistry([convert]);

const result = await registry.execute('to_fahrenheit', '{"celsius": "20"}');
console.log(result.forLLM); // 68 °F … (Repaired arguments: /celsius string-to-number.)

// @ts-expect-error -- a binding is not a tool: its handler cannot end up in a request
const tool: Tool = convert;
if (registry.list()[0] !== convert.tool || 'handler' in convert.tool) throw new Error(tool.name);

const unknown = await registry.execute('to_farenheit', '{}');
console.log(unknown.forLLM); // TOOL_NOT_FOUND: … Did you mean "to_fahrenheit"?
