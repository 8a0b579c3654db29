/* oxlint-disable -- outside the workspace: the types of its one dependency are not installed there */
// llama.cpp's own matcher reads the grammars of toGbnf: fixed cases, then random schemas. Exits 1 on the first difference.
import { getLlama } from 'node-llama-cpp';
import { toGbnf } from '../../packages/tools/src/grammar/index.ts';
import { agreement } from '../../packages/tools/test/grammar/agreement.ts';
import { CASES } from '../../packages/tools/test/grammar/cases.ts';

const [, , count = '300'] = process.argv;
const llama = await getLlama({ build: 'never', gpu: false });

async function matcherOf(grammar: string): Promise<(text: string) => boolean> {
  const matcher = (await llama.createGrammar({ grammar })) as unknown as { _testText(text: string): boolean };
  return (text) => matcher._testText(text);
}

const faults: string[] = [];
let texts = 0;
for (const { name, schema, options, yes, no } of CASES) {
  const matches = await matcherOf(toGbnf(schema, options).grammar);
  for (const [list, wanted] of [
    [yes, true],
    [no, false],
  ] as const) {
    for (const text of list) {
      texts += 1;
      if (matches(text) !== wanted) faults.push(`${name}: ${text} should be ${wanted ? 'accepted' : 'refused'}`);
    }
  }
}
console.log(`fixtures: ${CASES.length} grammars, ${texts} texts, ${faults.length} faults`);

const seeds = Array.from({ length: Number(count) }, (_, seed) => seed);
const result = await agreement(seeds, matcherOf);
console.log(
  `random: ${result.schemas} schemas, ${result.accepted} valid values accepted, ${result.refused} invalid ones refused, ${result.faults.length} faults`,
);
for (const fault of [...faults, ...result.faults].slice(0, 10)) console.error(fault);
await llama.dispose();
if (faults.length + result.faults.length > 0) process.exit(1);
