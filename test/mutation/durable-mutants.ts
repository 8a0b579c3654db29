import type { Mutant } from './mutant.ts';

const durable = { tests: ['packages/durable/test/leases.system.test.ts'] } as const;

/** Faults in recorded runs. */
export const DURABLE_MUTANTS: readonly Mutant[] = [
  {
    ...durable,
    name: 'a worker writes without its lease',
    file: 'packages/durable/src/worker/leases.ts',
    find: 'SELECT 1 FROM runs WHERE id = ? AND owner = ? AND epoch = ?',
    replace: 'SELECT 1 FROM runs WHERE id = ? AND ? <> ? AND true',
  },
  {
    ...durable,
    name: 'a call with an effect is entered before that is committed',
    file: 'packages/durable/src/worker/recorded-steps.ts',
    find: 'isUnsafe && step.hasInnerSteps !== true ?',
    replace: 'false ?',
  },
  {
    ...durable,
    name: 'a run that is claimed again keeps its old lease number',
    file: 'packages/durable/src/worker/claim.ts',
    find: "Number(row['epoch']) + 1",
    replace: "Number(row['epoch'])",
  },
  {
    ...durable,
    name: 'a worker that was held up itself considers the others dead',
    file: 'packages/durable/src/worker/leases.ts',
    find: 'if (nowMs - lookedMs > leaseMs / 2) seen = new Map();',
    replace: '',
  },
  {
    ...durable,
    name: 'a step that ends while its worker drains is lost',
    file: 'packages/durable/src/worker/attempt.ts',
    find: "halt.stop('draining')",
    replace: "halt.stop('drained')",
  },
];
