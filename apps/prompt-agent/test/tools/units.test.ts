import { callTool } from '@kernel/protocol';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { convertUnitsTool } from '../../src/tools/convert-units.ts';

const registry = createRegistry([convertUnitsTool()]);
const convert = async (value: number, from: string, to: string): Promise<unknown> => {
  const input = JSON.stringify({ value, from, to });
  const call = { type: 'tool-call', id: '1', name: 'convert_units', arguments: input } as const;
  return (await callTool(registry, call, { signal: new AbortController().signal })).forLLM;
};

/** Values of the international definitions (NIST SP 811, IEC 80000-13). */
test.each<readonly [number, string, string, string]>([
  [1, 'mile', 'km', '1 mi = 1.609344 km'],
  [26.2, 'miles', 'kilometres', '26.2 mi = 42.1648128 km'],
  [1, 'nautical mile', 'm', '1 nmi = 1852 m'],
  [12, 'inches', 'ft', '12 in = 1 ft'],
  [1, 'lb', 'g', '1 lb = 453.59237 g'],
  [1, 'stone', 'lbs', '1 st = 14 lb'],
  [1, 'short ton', 'kg', '1 short ton = 907.18474 kg'],
  [1, 'tonne', 'kg', '1 t = 1000 kg'],
  [1, 'US gallon', 'l', '1 US gal = 3.785411784 l'],
  [1, 'imperial pint', 'ml', '1 UK pt = 568.26125 ml'],
  [1, 'US cup', 'US fluid ounces', '1 US cup = 8 US fl oz'],
  [1, 'hectare', 'm2', '1 ha = 10000 m²'],
  [1, 'acre', 'square feet', '1 ac = 43560 ft²'],
  [100, 'C', '°F', '100 °C = 212 °F'],
  [-40, 'celsius', 'fahrenheit', '-40 °C = -40 °F'],
  [32, 'F', 'C', '32 °F = 0 °C'],
  [0, 'K', 'celsius', '0 K = -273.15 °C'],
  [36, 'km/h', 'm/s', '36 km/h = 10 m/s'],
  [1, 'knot', 'km/h', '1 kn = 1.852 km/h'],
  [1, 'day', 'seconds', '1 d = 86400 s'],
  [2.5, 'days', 'hours', '2.5 d = 60 h'],
  [90, 'min', 'hours', '90 min = 1.5 h'],
  [1, 'GiB', 'MiB', '1 GiB = 1024 MiB (1 kB is 1000 bytes, 1 KiB is 1024)'],
  [1, 'gb', 'mb', '1 GB = 1000 MB (1 kB is 1000 bytes, 1 KiB is 1024)'],
  [5, 'kB', 'bytes', '5 kB = 5000 B (1 kB is 1000 bytes, 1 KiB is 1024)'],
  [8, 'Mbit', 'MB', '8 Mbit = 1 MB (1 kB is 1000 bytes, 1 KiB is 1024)'],
])('%d %s in %s', async (value, from, to, answer) => {
  verifies('cli.offline.units');
  expect(await convert(value, from, to)).toBe(answer);
});

test.each<readonly [number, string, string, string]>([
  [5, 'apples', 'km', '"apples" is not a unit'],
  [5, 'km', 'kg', 'a unit of length'],
  [5, 'pounds', 'dollars', '"dollars" is not a unit'],
  [1, 'gallon', 'l', 'US gallon or imperial gallon'],
  [1, 'Ton', 'kg', 'metric ton, short ton or long ton'],
  [1, 'Mb', 'kB', 'MB or Mbit'],
  [1, 'month', 'days', '"month" is not a unit'],
  [1, 'Mm', 'km', '"Mm" is not a unit'],
  [1, 'Tb', 'GB', '"Tb" is not a unit'],
  [1, 'b', 'kB', '"b" is not a unit'],
  [1, 'M', 'km', '"M" is not a unit'],
  [-300, 'C', 'K', 'There is no temperature of -300 °C'],
  [-1, 'kg', 'g', 'There is no mass of -1 kg'],
  [1, 'constructor', '__proto__', '"constructor" is not a unit'],
])('%d %s in %s is refused', async (value, from, to, why) => {
  verifies('cli.offline.units');
  expect(await convert(value, from, to)).toContain(why);
});
