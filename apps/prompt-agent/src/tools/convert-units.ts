import { sliceHead } from '@kernel/internal';
import type { Tool } from '@kernel/protocol';
import { bindTool, type ToolBinding } from '@kernel/tools';
import { toolError } from './tool-error.ts';
import { tidy } from './evaluate.ts';
import { type Unit, unclearUnit, unitOf } from './units.ts';

const tool: Tool = {
  name: 'convert_units',
  title: 'Unit converter',
  description: 'Converts a length, mass, volume, area, temperature, time, speed or amount of data to another unit.',
  parameters: {
    type: 'object',
    properties: {
      value: { type: 'number' },
      from: {
        type: 'string',
        maxLength: 40,
        description: 'Unit of the value, such as "km", "US gallon", "°F" or "MiB".',
      },
      to: { type: 'string', maxLength: 40, description: 'Unit of the result.' },
    },
    required: ['value', 'from', 'to'],
    additionalProperties: false,
  },
  effect: 'read',
  metadata: {
    category: 'utility',
    usageHint: 'To convert between units of measure.',
  },
};

interface Conversion {
  readonly value: number;
  readonly from: string;
  readonly to: string;
}

/** Binds `convert_units`: both sides of the conversion in one line, the result with ten digits. */
export function convertUnitsTool(): ToolBinding {
  return bindTool<Conversion>(tool, ({ from, to, value }) => {
    const [source, target] = [knownUnit(from), knownUnit(to)];
    if (source.dimension !== target.dimension)
      throw toolError(`"${from}" is a unit of ${source.dimension}, and "${to}" is one of ${target.dimension}.`);
    const base = value * source.factor + source.offset;
    if (source.dimension === 'temperature' ? base < -1e-9 : base < 0 && source.dimension !== 'length')
      throw toolError(`There is no ${source.dimension} of ${value} ${source.symbol}.`);
    const exact = (base - target.offset) / target.factor;
    // Offsets leave the noise of binary fractions near zero.
    const rounded = source.dimension === 'temperature' ? Math.round(exact * 1e9) / 1e9 : exact;
    const result = `${tidy(value)} ${source.symbol} = ${tidy(rounded, 10)} ${target.symbol}`;
    return source.dimension === 'data' ? `${result} (1 kB is 1000 bytes, 1 KiB is 1024)` : result;
  });
}

function knownUnit(name: string): Unit {
  const unclear = unclearUnit(name);
  if (unclear !== undefined) throw toolError(`"${name}" is not one unit; write ${unclear}.`);
  const unit = unitOf(name);
  if (unit !== undefined) return unit;
  throw toolError(`"${sliceHead(name, 40)}" is not a unit that can be converted here.`);
}
