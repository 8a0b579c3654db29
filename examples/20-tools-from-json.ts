// Tools defined in JSON: parsed, checked and bound to handlers by name.
import assert from 'node:assert/strict';
import { toolSchema } from '@kernel/protocol/schemas';
import { bindTool, createRegistry } from '@kernel/tools';

const file = `[
  { "name": "area", "description": "The area of a rectangle.", "effect": "read", "parameters": {
    "type": "object", "$defs": { "side": { "type": "number", "exclusiveMinimum": 0 } },
    "properties": { "width": { "$ref": "#/$defs/side" }, "height": { "$ref": "#/$defs/side" } },
    "required": ["width", "height"], "additionalProperties": false } }
]`;
const handlers = new Map([['area', ({ width, height }: { width: number; height: number }) => width * height]]);

const tools = toolSchema.array().parse(JSON.parse(file)); // a wrong entry is refused with its index and path
const registry = createRegistry(tools.map((tool) => bindTool(tool, handlers.get(tool.name) ?? assert.fail(tool.name))));

assert.equal((await registry.execute('area', { width: 3, height: 4 })).forLLM, '12');
const wrong = await registry.execute('area', '{"width": -3, "hieght": 4}');
console.log(wrong.forLLM); // every fault at once, with the nearest name
assert.equal(wrong.code, 'ARGUMENTS_INVALID');
assert.match(wrong.forLLM, /height/);
