/** The program that every runtime runs: a streamed tool loop over each wire that it is given. Nothing of it is of Node. */
import { collect, run, type RunOptions, tapEvents } from '@kernel/agent';
import { createProvider, type ProviderConfig } from '@kernel/providers';
import { bindTool, createRegistry } from '@kernel/tools';

/** The wires of the program, each with the address of its server. */
export type Addresses = Readonly<Record<'openai' | 'anthropic', string>>;

/** What a loop came to. */
export interface LoopOutcome {
  readonly reason: string;
  readonly answer: string;
  readonly turns: number;
  /** The pieces of text, in order. */
  readonly deltas: readonly string[];
  /** The cities that the tool was asked for. */
  readonly cities: readonly string[];
  /** What a run that is given up while its reply arrives ends with. */
  readonly aborted: string;
}

/** Runs the loops one after another. */
export async function runToolLoops(addresses: Addresses): Promise<Readonly<Record<string, LoopOutcome>>> {
  return {
    openai: await toolLoop({ name: 'openai', baseUrl: addresses.openai }),
    anthropic: await toolLoop({ name: 'anthropic', baseUrl: addresses.anthropic, token: 'sk-test' }),
  };
}

async function toolLoop(config: ProviderConfig): Promise<LoopOutcome> {
  const provider = createProvider(config);
  const cities: string[] = [];
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string', pattern: '^([A-Z][a-z]+)+$' } },
    required: ['city'],
  } as const;
  const weather = bindTool(
    { name: 'weather', description: 'Tells the weather in a city.', effect: 'write', parameters },
    ({ city }: { readonly city: string }) => {
      cities.push(city);
      return { forLLM: `31 °C in ${city}`, media: [] };
    },
  );
  const options: RunOptions = {
    provider,
    model: 'test-model',
    messages: [{ role: 'user', content: 'How warm is it in Lisbon?' }],
    tools: createRegistry([weather]),
    approve: () => ({ decision: 'allow' }),
  };
  const deltas: string[] = [];
  const result = await collect(
    tapEvents(run(options), [
      (event) => {
        if (event.type === 'text-delta') deltas.push(event.text);
      },
    ]),
  );
  const { reason, turns } = result;
  const answer = 'answer' in result ? (result.answer ?? '') : '';
  return { reason, answer, turns, deltas, cities, aborted: await abortedLoop(options) };
}

/** A run whose reader leaves at the first piece of text. */
async function abortedLoop(options: RunOptions): Promise<string> {
  const controller = new AbortController();
  let reason = '';
  for await (const event of run({ ...options, signal: controller.signal })) {
    if (event.type === 'text-delta') controller.abort();
    if (event.type === 'run-end') ({ reason } = event);
  }
  return reason;
}
