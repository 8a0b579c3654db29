// What a workload has cost each contender, in lines.
import { median, quartiles } from './measure.js';

const MORE = ['cpuMs', 'wallMs', 'blockedMs', 'slopeUs', 'listRatio'];

/** Prints the medians, the ratios to the floor and the targets. Returns how many contenders made something else, and how many targets were missed. */
export function report(workload, measured) {
  const children = measured.filter(({ fault }) => fault === undefined);
  const { absolute = {}, limit, name, per, unit } = workload;
  const isMemory = workload.metric === 'memory';
  const metric = isMemory ? 'grownMiB' : workload.metric;
  const valuesOf = ({ results }) => results.map((result) => result[metric] / (result.times ?? 1));
  const valueOf = (child) => (isMemory ? Math.max(...valuesOf(child)) : median(valuesOf(child)));
  const floor = children.find(({ contender }) => contender === 'floor');
  const made = new Set(children.flatMap(({ results }) => results.map((result) => result.made)));
  let missed = 0;
  console.log(`\n${name}`);
  if (made.size !== 1) console.log(`  WRONG: the contenders made different things: ${[...made].join(' | ')}`);
  for (const { contender, fault } of measured)
    if (fault !== undefined) console.log(`  ${contender.padEnd(13)} FAILED: ${fault}`);
  for (const child of children) {
    const [low, high] = quartiles(valuesOf(child));
    const value = valueOf(child);
    const ratio = floor === undefined || isMemory ? '' : ` ${(value / valueOf(floor)).toFixed(2)} ×`;
    const each = per === undefined ? '' : ` ${((value * 1000) / per).toFixed(2)} µs a ${unit}`;
    const units = `${isMemory ? 'MiB' : 'ms'}${per === undefined && unit !== undefined ? ` a ${unit}` : ''}`;
    const more = MORE.filter((key) => key !== metric && child.results[0][key] !== undefined)
      .map((key) => `${key} ${median(child.results.map((result) => result[key])).toFixed(2)}`)
      .join(', ');
    const spread = `[${low.toFixed(2)}-${high.toFixed(2)}]`;
    console.log(
      `  ${child.contender.padEnd(13)} ${metric} ${value.toFixed(2)} ${units} ${spread}${ratio}${each}; ${more}`,
    );
  }
  const ours = children.find(({ contender }) => contender === 'ours');
  const before = children.find(({ contender }) => contender === 'before');
  if (before !== undefined) console.log(`  ours to before: ${(valueOf(ours) / valueOf(before)).toFixed(2)} ×`);
  if (limit !== undefined) target(valueOf(ours) / valueOf(floor), limit, '× the floor');
  for (const [key, most] of Object.entries(absolute)) {
    const all = ours.results.map((result) => result[key]);
    target(key === 'grownMiB' ? Math.max(...all) : median(all), most, key);
  }
  return { wrong: made.size === 1 ? 0 : 1, missed };

  function target(value, most, what) {
    if (value > most) missed += 1;
    console.log(`  ${value > most ? 'MISSED' : 'ok    '} ${value.toFixed(2)} ${what}, target ${most}`);
  }
}
