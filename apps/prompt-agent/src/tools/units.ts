export interface Unit {
  /** What it measures; only units of one dimension convert into each other. */
  readonly dimension: string;
  /** How it is written in an answer. */
  readonly symbol: string;
  /** Its size in the base unit of its dimension (m, g, l, K, s, byte, m/s, m²). */
  readonly factor: number;
  /** What is added after the factor; only temperatures have one. */
  readonly offset: number;
}

/** By dimension: symbol, size, and names; the exact definitions of SI, of the international yard and pound (1959), and of US volumes. */
const TABLE: Readonly<Record<string, string>> = {
  length: `mm 0.001 millimeter millimetre|cm 0.01 centimeter centimetre|dm 0.1 decimeter decimetre|m 1 meter metre|km 1000 kilometer kilometre kms Km
    |in 0.0254 inch inches|ft 0.3048 foot feet|yd 0.9144 yard|mi 1609.344 mile|µm 0.000001 um micrometer micrometre micron|nm 1e-9 nanometer nanometre
    |nmi 1852 nautical_mile`,
  mass: `mg 0.001 milligram|g 1 gram gramme|kg 1000 kilogram kilo kgs Kg|t 1000000 tonne metric_ton|oz 28.349523125 ounce|lb 453.59237 pound lbs
    |st 6350.29318 stone|µg 0.000001 ug microgram|short_ton 907184.74 us_ton|long_ton 1016046.9088 imperial_ton`,
  volume: `ml 0.001 milliliter millilitre|cl 0.01 centiliter centilitre|dl 0.1 deciliter decilitre|l 1 liter litre L|m³ 1000 m3 cubic_meter cubic_metre
    |cm³ 0.001 cm3 cubic_centimeter cubic_centimetre|US_gal 3.785411784 us_gallon|UK_gal 4.54609 imperial_gallon uk_gallon
    |US_cup 0.2365882365 us_cup|US_pt 0.473176473 us_pint|UK_pt 0.56826125 imperial_pint uk_pint|US_fl_oz 0.0295735295625 us_fluid_ounce
    |US_tbsp 0.01478676478125 us_tablespoon|US_tsp 0.00492892159375 us_teaspoon|ft³ 28.316846592 ft3 cubic_foot cubic_feet`,
  area: `m² 1 m2 sqm square_meter square_metre|km² 1000000 km2 square_kilometer square_kilometre|cm² 0.0001 cm2 square_centimeter square_centimetre
    |ha 10000 hectare|ac 4046.8564224 acre|ft² 0.09290304 ft2 sqft square_foot square_feet|mi² 2589988.110336 mi2 square_mile|in² 0.00064516 in2 square_inch square_inches`,
  time: `ms 0.001 millisecond|s 1 second sec secs|min 60 minute mins|h 3600 hour hr hrs|d 86400 day|weeks 604800 week wk`,
  speed: `m/s 1 mps meter_per_second metre_per_second|km/h 0.2777777777777778 kmh kph kilometer_per_hour kilometre_per_hour|mph 0.44704 mi/h mile_per_hour
    |kn 0.5144444444444445 knot kt kts|ft/s 0.3048 fps foot_per_second feet_per_second`,
  data: `bit 0.125|B 1 byte|kB 1000 KB kilobyte|MB 1e6 megabyte|GB 1e9 gigabyte|TB 1e12 terabyte|PB 1e15 petabyte
    |KiB 1024 kibibyte|MiB 1048576 mebibyte|GiB 1073741824 gibibyte|TiB 1099511627776 tebibyte
    |kbit 125 kilobit|Mbit 125000 megabit|Gbit 125000000 gigabit`,
};

const TEMPERATURES: readonly (readonly [symbol: string, factor: number, offset: number, ...names: string[]])[] = [
  ['°C', 1, 273.15, 'C', 'c', 'celsius', 'degrees celsius', 'degree celsius', 'centigrade'],
  ['°F', 5 / 9, 459.67 * (5 / 9), 'F', 'f', 'fahrenheit', 'degrees fahrenheit', 'degree fahrenheit'],
  ['K', 1, 0, 'kelvin', 'kelvins'],
];

let made: ReadonlyMap<string, Unit> | undefined;

/** All units by their symbols and names, made when the first one is asked for. */
function units(): ReadonlyMap<string, Unit> {
  return (made ??= makeUnits());
}

function makeUnits(): ReadonlyMap<string, Unit> {
  const found = new Map<string, Unit>();
  for (const [dimension, rows] of Object.entries(TABLE)) {
    for (const row of rows.split('|')) {
      const [symbol = '', factor = '', ...names] = row.trim().split(/\s+/);
      const unit: Unit = { dimension, symbol: symbol.replaceAll('_', ' '), factor: Number(factor), offset: 0 };
      found.set(unit.symbol, unit);
      for (const name of names) {
        found.set(name.replaceAll('_', ' '), unit);
        if (name.length > 2) found.set(pluralOf(name.replaceAll('_', ' ')), unit);
      }
    }
  }
  for (const [symbol, factor, offset, ...names] of TEMPERATURES)
    for (const name of [symbol, ...names]) found.set(name, { dimension: 'temperature', symbol, factor, offset });
  return found;
}

/** `miles per hour` and `feet per second` have their plural in front. */
function pluralOf(name: string): string {
  const [head = '', ...rest] = name.split(' per ');
  return [`${head}s`, ...rest].join(' per ');
}

/** Names that mean several units, and what to write in their place. */
const AMBIGUOUS: ReadonlyMap<string, string> = new Map([
  ['gallon', 'US gallon or imperial gallon'],
  ['gallons', 'US gallons or imperial gallons'],
  ['gal', 'US gal or UK gal'],
  ['cup', 'US cup'],
  ['cups', 'US cups'],
  ['pint', 'US pint or imperial pint'],
  ['pints', 'US pints or imperial pints'],
  ['tablespoon', 'US tablespoon'],
  ['tablespoons', 'US tablespoons'],
  ['teaspoon', 'US teaspoon'],
  ['teaspoons', 'US teaspoons'],
  ['fluid ounce', 'US fluid ounce'],
  ['fluid ounces', 'US fluid ounces'],
  ['ton', 'metric ton, short ton or long ton'],
  ['tons', 'metric tons, short tons or long tons'],
  ['Mb', 'MB or Mbit'],
  ['Gb', 'GB or Gbit'],
  ['Kb', 'kB or kbit'],
]);

/** What a unit has to be written as, where its name means several; `undefined` for any other name. */
export function unclearUnit(name: string): string | undefined {
  if (units().has(name)) return undefined;
  return AMBIGUOUS.get(name) ?? AMBIGUOUS.get(name.toLowerCase());
}

/** Returns a unit by its symbol or name. A symbol counts as it is written; the case of anything else does not matter, unless it decides (`Mb`). */
export function unitOf(text: string): Unit | undefined {
  const name = text.trim().replaceAll(/\s+/g, ' ');
  const exact = units().get(name);
  if (exact !== undefined || unclearUnit(name) !== undefined) return exact;
  const lower = name.toLowerCase();
  // `Mm`, `Tb` and `M` are other units than `mm`, `TB` and `m`.
  const isFree = name.length > 3 || (name.length > 1 && (name === lower || name === name.toUpperCase()));
  return !isFree ? undefined : (units().get(lower) ?? units().get(byLower().get(lower) ?? ''));
}

let madeByLower: ReadonlyMap<string, string> | undefined;

/** Symbols that no other unit has in lower case; of several that are equal in it, the last. */
function byLower(): ReadonlyMap<string, string> {
  return (madeByLower ??= new Map(
    [...units().keys()].flatMap((name) => {
      const lower = name.toLowerCase();
      return lower !== name && !units().has(lower) ? [[lower, name] as const] : [];
    }),
  ));
}
