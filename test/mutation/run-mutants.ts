import type { Mutant } from './mutant.ts';

const OUTPUT_TESTS = ['packages/agent/test/output/typed-output.test.ts'];

/** Faults of typed answers, turns, readers of a run, and the web. */
export const RUN_MUTANTS: readonly Mutant[] = [
  {
    name: 'an answer that does not fit is asked for twice more',
    file: 'packages/agent/src/output/answer-steps.ts',
    find: 'return rejected > 1 ?',
    replace: 'return rejected > 2 ?',
    tests: OUTPUT_TESTS,
  },
  {
    name: 'a duplicate key of an answer is read as its last value',
    file: 'packages/agent/src/output/read-json.ts',
    find: 'if (loss === undefined) return',
    replace: 'return',
    tests: OUTPUT_TESTS,
  },
  {
    name: 'the format is asked for together with tools where a vendor takes only one of them',
    file: 'packages/agent/src/output/typed-output.ts',
    find: "(best === 'schema-without-tools' && !hasTools)",
    replace: "best === 'schema-without-tools'",
    tests: OUTPUT_TESTS,
  },
  {
    name: 'a reference within a wrapped schema leads to the wrapper',
    file: 'packages/agent/src/output/compile-output.ts',
    find: '`#/properties/${ANSWER}${reference.slice(1)}`',
    replace: 'reference',
    tests: OUTPUT_TESTS,
  },
  {
    name: 'a call of a tool that prepareTurn left out runs',
    file: 'packages/agent/src/loop/request.ts',
    find: 'signal), isRestricted };',
    replace: 'signal), isRestricted: false };',
    tests: ['packages/agent/test/turn/prepare-turn.test.ts'],
  },
  {
    name: 'a reader of a run that nobody reads keeps its events for good',
    file: 'packages/agent/src/start.ts',
    find: 'return backlog.length <= MAX_BACKLOG;',
    replace: 'return true;',
    tests: ['packages/agent/test/start.test.ts'],
  },
  {
    name: 'a client allows a call without saying what was shown',
    file: 'packages/agent/src/web/approval/decisions.ts',
    find: "if (typeof digest !== 'string' || !DIGEST.test(digest))",
    replace: "if (typeof digest === 'number')",
    tests: ['packages/agent/test/web/decisions.test.ts'],
  },
  {
    name: 'a response reads ahead of its client',
    file: 'packages/agent/src/web/http/byte-stream.ts',
    find: 'highWaterMark: 0',
    replace: 'highWaterMark: 8',
    tests: ['packages/agent/test/web/to-response.test.ts'],
  },
  {
    name: 'a client that disconnects leaves the run going',
    file: 'packages/agent/src/web/http/byte-stream.ts',
    find: 'cancel: leave,',
    replace: 'cancel: () => undefined,',
    tests: ['packages/agent/test/web/to-response.test.ts'],
  },
  {
    name: 'a failure before the first event withdraws a reply',
    file: 'packages/providers/src/policies/turn-retry.ts',
    find: '|| !hasBegun ||',
    replace: '||',
    tests: ['packages/providers/test/policies/turn-retry.test.ts'],
  },
  {
    name: 'a broken reply is asked for again without saying so',
    file: 'packages/providers/src/policies/turn-retry.ts',
    find: "yield { type: 'reply-withdrawn', code: error.code, message: error.message };",
    replace: '',
    tests: ['packages/providers/test/policies/turn-retry.test.ts'],
  },
  {
    name: 'a property that was optional must be there in a strict form',
    file: 'packages/schema/src/strict/to-strict-schema.ts',
    find: '!isSchemaObject(inner) ? inner : orNull(inner)',
    replace: '!isSchemaObject(inner) ? inner : inner',
    tests: ['packages/schema/test/strict.test.ts'],
  },
  {
    name: 'a wrapper loses what an instance inherits',
    file: 'packages/protocol/src/wrap-ports.ts',
    find: '...boundMethods(tools, TOOLSET_METHODS), ',
    replace: '',
    tests: ['packages/agent/test/wrappers/class-ports.test.ts'],
  },
];
