import { estimateTokens } from '@kernel/agent';
import { costOf } from '@kernel/providers';
import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { pricesOf } from '../../options/price.ts';
import { tableOf } from '../../output/terminal/table.ts';
import { withTools } from './with-tools.ts';

const CALLS = 1000;

/** Prints about how many tokens each tool adds to each request, and with `--price` what that costs in a thousand requests. */
export async function priceTools(call: CommandCall): Promise<number> {
  const prices = pricesOf(call.flags, undefined);
  const costFor = (tokens: number): number | undefined =>
    prices && costOf({ inputTokens: tokens * CALLS, outputTokens: 0 }, prices);
  await withTools(call, (tools) => {
    const rows = tools.map(({ name, description, parameters }) => {
      const content = JSON.stringify({ name, description, parameters });
      return { name, tokens: estimateTokens({ role: 'user', content }) };
    });
    const all = [...rows, { name: 'together', tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0) }];
    if (call.flags.json === true)
      call.output.writeJson(
        all.map((row) => ({ ...row, costOf1000Requests: costFor(row.tokens) })),
        2,
      );
    else
      for (const line of tableOf(
        all.map(({ name, tokens }) => {
          const cost = costFor(tokens);
          return [
            name,
            `${tokens} tokens`,
            ...(cost === undefined ? [] : [`$${cost.toFixed(4)} in ${CALLS} requests`]),
          ];
        }),
      ))
        call.output.write(`${line}\n`);
  });
  return EXIT.answer;
}
