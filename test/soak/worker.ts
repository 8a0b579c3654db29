/** Runs scenarios until its time is up, and reports how they ended and how its memory grew. Exits on its own if nothing is left open. */
import { createProviders, type CustomProviderConfig } from '@kernel/providers';
import type { Provider } from '@kernel/protocol';
import { setTimeout as wait } from 'node:timers/promises';
import type { MemorySample, SoakReport } from './report.ts';
import { endScenarios, SCENARIOS } from './scenarios.ts';

const LANES = 8;
const SAMPLE_MS = 5000;
const WIRE_CONFIGS: Readonly<Record<string, Partial<CustomProviderConfig>>> = {
  anthropic: { token: 't' },
  gemini: { token: 't' },
  bedrock: { region: 'eu-west-1', token: 't' },
};

const [, , seconds = '10', scenarios = 'Infinity', addresses = '[]'] = process.argv;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by the server of the soak test
const wires = JSON.parse(addresses) as readonly (readonly [string, string])[];
const providersWith = (ms: number): readonly Provider[] => {
  const timeouts = { connectMs: ms, firstByteMs: ms, idleMs: ms, totalMs: 2 * ms };
  return wires.map(([name, baseUrl]) =>
    createProviders().create({ name, baseUrl, timeouts, connections: LANES, ...WIRE_CONFIGS[name] }),
  );
};
// A busy machine may be slow, so only replies that are known to stall have short timeouts.
const [providers, impatient] = [providersWith(30_000), providersWith(300)];

const begun = performance.now();
const ends = performance.now() + Number(seconds) * 1000;
const outcomes = new Map<string, number>();
const unexpected: string[] = [];
const samples: MemorySample[] = [];
let played = 0;

async function lane(): Promise<void> {
  while (performance.now() < ends && played < Number(scenarios)) {
    const number = played;
    played += 1;
    const scenario = SCENARIOS[number % SCENARIOS.length];
    // Every kind on every wire, streamed and whole.
    const round = Math.floor(number / SCENARIOS.length);
    const provider = (scenario?.[0] === 'stall' ? impatient : providers)[round % providers.length];
    if (scenario === undefined || provider === undefined)
      throw new Error('The soak test has no scenario or no provider.');
    const [kind, allowed, play] = scenario;
    const stream = Math.floor(round / providers.length) % 2 === 0;
    let end: string;
    try {
      end = await play({ provider, number, stream });
    } catch (error) {
      end = `threw ${String(error)}`;
    }
    const name = `${kind}: ${end}`;
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
    if (!allowed.includes(end) && unexpected.length < 20) unexpected.push(`${number} on ${provider.name}: ${name}`);
  }
}

const sampling = new AbortController();
async function sample(): Promise<void> {
  while (!sampling.signal.aborted) {
    globalThis.gc?.();
    await wait(20);
    globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    samples.push({ seconds: (performance.now() - begun) / 1000, heapBytes: heapUsed + external, rssBytes: rss });
    await wait(SAMPLE_MS, undefined, { signal: sampling.signal }).catch(() => {});
  }
}

const sampled = sample();
await Promise.all(Array.from({ length: LANES }, lane));
sampling.abort();
await sampled;
await endScenarios();
const report: SoakReport = { played, outcomes: Object.fromEntries(outcomes), unexpected, samples };
process.send?.(report, () => process.disconnect());
