import type { CommandCall } from '../command-call.ts';
import { examineConfig } from '../doctor/examine-config.ts';
import { examineModel } from '../doctor/examine-model.ts';
import { examineSystem } from '../doctor/examine-system.ts';
import { EXIT } from '../exit-code.ts';
import { oneLine } from '../output/escape.ts';
import { tableOf } from '../output/terminal/table.ts';

const MARKS = { ok: '+', none: '-', bad: '!' } as const;

/** Prints what the program looked for, what it found, and what it refused and why. Exits with 1 if something stands in the way of an answer. */
export async function doctor(call: CommandCall): Promise<number> {
  const { flags, host, output } = call;
  const { loaded, ...config } = await examineConfig(call);
  const examinations = [config, await examineModel(call, loaded), await examineSystem(host)];
  if (flags.json === true) output.writeJson(examinations, 2);
  else
    for (const { title, findings } of examinations) {
      output.write(`${title}\n`);
      const rows = findings.map(({ what, state, detail }) => [
        `  ${MARKS[state]} ${oneLine(what, 40)}`,
        oneLine(detail, 300),
      ]);
      for (const line of tableOf(rows)) output.write(`${line}\n`);
    }
  const isBad = examinations.some(({ findings }) => findings.some(({ state }) => state === 'bad'));
  return isBad ? EXIT.failed : EXIT.answer;
}
