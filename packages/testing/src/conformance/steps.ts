import assert from 'node:assert/strict';
import type { JsonValue, Step, StepExecutor, StepScope, ToolEffect } from '@kernel/protocol';
import { type ConformanceCase, withSubject } from './case.ts';

/** An executor under test. */
export interface StepsUnderTest {
  /**
   * Makes one attempt at the run of this id: calls `body` with the executor, and settles as it does. Attempts at one run come one after the other, and a
   * later one finds what the earlier ones recorded.
   */
  attempt<T>(this: void, runId: string, body: (steps: StepExecutor) => Promise<T>): Promise<T>;
  /** Whether anything is recorded. Default true. */
  readonly isRecorded?: boolean;
  /** Whether a call counts as begun when its handler is entered, or as soon as its step begins. Default `handler`. */
  readonly begins?: 'handler' | 'step';
  /** Releases what was set up for it. */
  close?(): Promise<void>;
}

type Body = (scope: StepScope) => JsonValue | Promise<JsonValue>;

function step(id: string, body: Body, rest: Partial<Step> = {}): Step {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the ids of this file begin with a kind
  const kind = id.slice(id.lastIndexOf('/') + 1).split(':')[0] as Step['kind'];
  return { id, kind, input: { id }, run: async (scope = {}) => body(scope), ...rest };
}

/** A call whose process dies: it throws once its handler was entered. */
function dies(id: string, effect: ToolEffect, place: 'before' | 'in'): Step {
  const run: Body = async ({ beforeHandler }) => {
    if (place === 'in') await beforeHandler?.();
    throw new Error('The process died.');
  };
  return step(id, run, { effect, idempotencyKey: id, unknown: () => ({ unknown: true }) });
}

function answers(id: string, effect: ToolEffect, entered: string[]): Step {
  const run: Body = async ({ beforeHandler }) => {
    await beforeHandler?.();
    entered.push(id);
    return { answered: true };
  };
  return step(id, run, { effect, idempotencyKey: id, unknown: () => ({ unknown: true }) });
}

function fails(subject: StepsUnderTest, id: string, body: (steps: StepExecutor) => Promise<unknown>): Promise<void> {
  return assert.rejects(subject.attempt(id, body));
}

function outputs(id: string, output: JsonValue): (steps: StepExecutor) => Promise<readonly JsonValue[]> {
  return (steps) => steps.all([step(id, () => output)]);
}

/**
 * Returns the behaviors that every `StepExecutor` must have. `make` is called for each of them. With `isRecorded: false` only those of an executor
 * without a journal.
 */
export function stepsConformance(make: () => StepsUnderTest | Promise<StepsUnderTest>): readonly ConformanceCase[] {
  const check = (
    name: string,
    body: (subject: StepsUnderTest) => Promise<void>,
    needsRecord = true,
  ): ConformanceCase => ({
    name,
    run: () =>
      withSubject(make, async (subject) => {
        if (!needsRecord || subject.isRecorded !== false) await body(subject);
      }),
  });
  return [
    check(
      'a batch resolves to the outputs in its order',
      async ({ attempt }) => {
        const slow = step('tool:1', async () => {
          await new Promise(setImmediate);
          return { n: 1 };
        });
        const given = await attempt('r', (steps) => steps.all([slow, step('tool:2', () => ({ n: 2 }))]));
        assert.deepEqual(given, [{ n: 1 }, { n: 2 }]);
      },
      false,
    ),
    check(
      'the steps of a batch run beside each other',
      async ({ attempt }) => {
        const { promise, resolve } = Promise.withResolvers<JsonValue>();
        const waits = step('tool:1', () => promise);
        const ends = step('tool:2', () => {
          resolve({ from: 2 });
          return {};
        });
        assert.deepEqual((await attempt('r', (steps) => steps.all([waits, ends])))[0], { from: 2 });
      },
      false,
    ),
    check(
      'a step that fails makes the batch fail',
      (subject) => fails(subject, 'r', (steps) => steps.all([dies('tool:1', 'read', 'in')])),
      false,
    ),
    check('a recorded step does not run again, and its output comes back', async ({ attempt }) => {
      const entered: string[] = [];
      const body = (steps: StepExecutor) => steps.all([answers('tool:1', 'external', entered)]);
      const first = await attempt('r', async (steps) => {
        const given = await body(steps);
        return { given, replayed: await body(steps) };
      });
      assert.deepEqual(first.replayed, first.given);
      assert.deepEqual(entered, ['tool:1']);
    }),
    check('a later attempt goes on behind what earlier ones recorded', async (subject) => {
      const entered: string[] = [];
      await fails(subject, 'r', async (steps) => {
        await steps.all([answers('tool:1', 'external', entered)]);
        await steps.all([dies('tool:2', 'read', 'before')]);
      });
      const given = await subject.attempt('r', async (steps) => [
        ...(await steps.all([answers('tool:1', 'external', entered)])),
        ...(await steps.all([answers('tool:2', 'read', entered)])),
      ]);
      assert.deepEqual(given, [{ answered: true }, { answered: true }]);
      assert.deepEqual(entered, ['tool:1', 'tool:2']);
    }),
    check('a batch settles before it fails, and what succeeded is kept', async (subject) => {
      const entered: string[] = [];
      const late = step('tool:2', async ({ beforeHandler }) => {
        for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
        await beforeHandler?.();
        entered.push('tool:2');
        return { late: true };
      });
      await fails(subject, 'r', (steps) => steps.all([dies('tool:1', 'read', 'in'), late]));
      assert.deepEqual(entered, ['tool:2'], 'the batch failed before its other step had ended');
      const given = await subject.attempt('r', (steps) => steps.all([answers('tool:1', 'read', entered), late]));
      assert.deepEqual(given, [{ answered: true }, { late: true }]);
      assert.deepEqual(entered, ['tool:2', 'tool:1']);
    }),
    ...(['write', 'external'] as const).map((effect) =>
      check(
        `a ${effect} call whose handler was entered has an unknown outcome, and is not entered again`,
        async (subject) => {
          const entered: string[] = [];
          await fails(subject, 'r', (steps) => steps.all([dies('tool:1', effect, 'in')]));
          const given = await subject.attempt('r', (steps) => steps.all([answers('tool:1', effect, entered)]));
          assert.deepEqual(given, [{ unknown: true }]);
          assert.deepEqual(entered, []);
        },
      ),
    ),
    ...(['read', 'idempotent'] as const).map((effect) =>
      check(`a call that is ${effect} runs again`, async (subject) => {
        const entered: string[] = [];
        await fails(subject, 'r', (steps) => steps.all([dies('tool:1', effect, 'in')]));
        const given = await subject.attempt('r', (steps) => steps.all([answers('tool:1', effect, entered)]));
        assert.deepEqual(given, [{ answered: true }]);
      }),
    ),
    check('a call that had only waited for its handler runs', async (subject) => {
      if (subject.begins === 'step') return;
      const entered: string[] = [];
      await fails(subject, 'r', (steps) => steps.all([dies('tool:1', 'external', 'before')]));
      await subject.attempt('r', (steps) => steps.all([answers('tool:1', 'external', entered)]));
      assert.deepEqual(entered, ['tool:1']);
    }),
    check('a decision that was put off is not kept', async ({ attempt }) => {
      const call = { type: 'tool-call', id: '1', name: 'pay', arguments: '{}' };
      await attempt(
        'r',
        outputs('approve:1', { decision: 'later', pending: { ...call, path: [], digest: 'd' } }),
      ).catch(ignore);
      assert.deepEqual(await attempt('r', outputs('approve:1', { decision: 'allow', digest: 'd' })), [
        { decision: 'allow', digest: 'd' },
      ]);
    }),
    check('inner steps are recorded, and their step runs again until it has ended', async (subject) => {
      const entered: string[] = [];
      const agent = (last: Step) => (steps: StepExecutor) => {
        if (steps.takesInnerSteps !== true) return Promise.resolve([{ done: true }]);
        const outer = step(
          'tool:h',
          async () => {
            await steps.all([answers('tool:h/tool:1', 'external', entered)]);
            await steps.all([last]);
            return { done: true };
          },
          { effect: 'external', hasInnerSteps: true, unknown: () => ({ unknown: true }) },
        );
        return steps.all([outer]);
      };
      await subject.attempt('r', agent(dies('tool:h/tool:2', 'read', 'in'))).catch(ignore);
      const given = await subject.attempt('r', agent(answers('tool:h/tool:2', 'read', entered)));
      assert.deepEqual(given, [{ done: true }]);
      assert.ok(entered.filter((id) => id === 'tool:h/tool:1').length <= 1, 'an inner step ran twice');
    }),
    check('runs share no steps', async ({ attempt }) => {
      assert.deepEqual(
        [await attempt('a', outputs('tool:1', { n: 1 })), await attempt('b', outputs('tool:1', { n: 2 }))],
        [[{ n: 1 }], [{ n: 2 }]],
      );
    }),
  ];
}

function ignore(): void {}
