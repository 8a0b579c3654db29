// Records a run in any engine with a function that runs something once under a name.
import assert from 'node:assert/strict';
import { collect, run } from '@kernel/agent';
import type { JsonValue, Step, StepExecutor } from '@kernel/protocol';
import { scriptedProvider, stepsConformance } from '@kernel/testing';

/** Runs work once under a name. Every later call with that name returns the recorded output. */
type Once = (name: string, work: () => Promise<JsonValue>) => Promise<JsonValue>;

/** Returns an executor for an engine. `attemptId` is new in each attempt at the run. */
function engineSteps(once: Once, attemptId: string): StepExecutor {
  const execute = (step: Step, begunBy: JsonValue): Promise<JsonValue> =>
    once(step.id, async () => {
      // An intent of another attempt: its process died with the call in flight.
      if (begunBy !== attemptId && step.unknown !== undefined) return step.unknown();
      const output = await step.run();
      if (isWaiting(output)) throw new Error(`"${step.id}" waits for a decision.`);
      return output;
    });
  return {
    async all(batch) {
      // Record all intents first, so that the order of names is the same in a replay.
      const intents = batch.map(async ({ id, effect }) => {
        const isUnsafe = effect === 'write' || effect === 'external';
        return isUnsafe ? once(`begin ${id}`, async () => attemptId) : attemptId;
      });
      const begunBy = await Promise.all(intents);
      const settled = await Promise.allSettled(batch.map((step, index) => execute(step, begunBy[index] ?? attemptId)));
      return settled.map((each) => {
        if (each.status === 'rejected') throw each.reason;
        return each.value;
      });
    },
  };
}

function isWaiting(output: JsonValue): boolean {
  if (typeof output !== 'object' || output === null) return false;
  return Reflect.get(output, 'decision') === 'later' || Reflect.has(output, 'pending');
}

// The engine of this example is a map.
const runs = new Map<string, Map<string, string>>();
let attempts = 0;
function stepsOf(runId: string): StepExecutor {
  const recorded = runs.get(runId) ?? new Map<string, string>();
  runs.set(runId, recorded);
  attempts += 1;
  const once: Once = async (name, work) => {
    const known = recorded.get(name);
    if (known === undefined) recorded.set(name, JSON.stringify(await work()));
    const output: unknown = JSON.parse(recorded.get(name) ?? 'null');
    return output as JsonValue; // oxlint-disable-line typescript/no-unsafe-type-assertion -- as it was recorded
  };
  return engineSteps(once, `attempt ${attempts}`);
}

let cases = 0;
for (const { run: check } of stepsConformance(() => {
  runs.clear();
  return { begins: 'step', attempt: (runId, body) => body(stepsOf(runId)) };
})) {
  await check();
  cases += 1;
}
console.log(`${cases} behaviors hold`);

const messages = [{ role: 'user', content: 'Hi' }] as const;
const first = scriptedProvider([{ text: 'Hello.' }]);
await collect(run({ provider: first, model: 'm', messages, steps: stepsOf('talk') }));
const replayed = await collect(run({ provider: scriptedProvider([]), model: 'm', messages, steps: stepsOf('talk') }));
assert.equal(replayed.reason === 'done' && replayed.answer, 'Hello.');
console.log(replayed.reason);
