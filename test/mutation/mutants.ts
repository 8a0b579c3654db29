import { CALL_MUTANTS } from './call-mutants.ts';
import { DEFAULT_MUTANTS } from './default-mutants.ts';
import { DURABLE_MUTANTS } from './durable-mutants.ts';
import { GROWTH_MUTANTS } from './growth-mutants.ts';
import type { Mutant } from './mutant.ts';
import { RUN_MUTANTS } from './run-mutants.ts';

const option = (wire: string, file: string, field: string): Mutant => ({
  name: `${wire} drops top_p`,
  file: `packages/providers/src/${file}`,
  find: `${field}: options.topP`,
  replace: `${field}: undefined`,
  tests: ['packages/providers/test/wire/model-options.test.ts'],
});

/** Faults that were once unnoticed. `pnpm mutants` puts in each and expects its tests to fail. */
export const MUTANTS: readonly Mutant[] = [
  ...DEFAULT_MUTANTS,
  ...RUN_MUTANTS,
  ...CALL_MUTANTS,
  ...DURABLE_MUTANTS,
  ...GROWTH_MUTANTS,
  // An abort settles within 50 ms.
  {
    name: 'a run settles 51 ms after an abort',
    file: 'packages/agent/src/loop/call-border.ts',
    find: 'ABORT_GRACE_MS = 30',
    replace: 'ABORT_GRACE_MS = 51',
    tests: ['packages/agent/test/loop/abort.test.ts'],
  },
  {
    name: 'a call settles 51 ms after an abort',
    file: 'packages/tools/src/call/race-handler.ts',
    find: 'GRACE_MS = 20',
    replace: 'GRACE_MS = 51',
    tests: ['packages/tools/test/call/clocks.test.ts'],
  },
  // What a run hands over.
  {
    name: 'LIMIT_REACHED has no messages',
    file: 'packages/agent/src/loop/run-end.ts',
    find: 'data: { ...end }',
    replace: 'data: { ...end, messages: [] }',
    tests: ['packages/agent/test/loop/defaults.test.ts'],
  },
  {
    name: 'an empty `forUser` reaches the reader of events',
    file: 'packages/agent/src/loop/tool-call.ts',
    find: "result.forUser !== '' && ",
    replace: '',
    tests: ['packages/agent/test/loop/defaults.test.ts'],
  },
  {
    name: 'a silent result shows its `forUser`',
    file: 'packages/agent/src/loop/tool-call.ts',
    find: ' && result.silent !== true',
    replace: '',
    tests: ['packages/agent/test/loop/defaults.test.ts'],
  },
  {
    name: 'the output of a call step is not the JSON form of its result',
    file: 'packages/agent/src/loop/call-border.ts',
    find: 'toResultJson({ ...result, forLLM: toModelText(result) });',
    replace: '({ ...result, forLLM: toModelText(result) }) as ToolResultJson;',
    tests: ['packages/agent/test/loop/defaults.test.ts'],
  },
  // Approval.
  {
    name: 'a decision runs what it was not made about',
    file: 'packages/agent/src/loop/decide-calls.ts',
    find: 'return digestOf(prepared, call) === decision.digest ? prepared : changedResult(call);',
    replace: 'return prepared;',
    tests: ['packages/agent/test/approval/approved-call.test.ts'],
  },
  {
    name: 'a kept decision holds for what it was not made about',
    file: 'packages/agent/src/approval/approve-calls.ts',
    find: 'if (digest !== undefined && digest === kept.digest)',
    replace: 'if (digest !== undefined)',
    tests: ['packages/agent/test/approval/later.test.ts'],
  },
  {
    name: 'a late answer that blocked the thread counts',
    file: 'packages/agent/src/approval/approval.ts',
    find: 'if (performance.now() - startedMs >= timeoutMs) {',
    replace: 'if (startedMs < 0) {',
    tests: ['packages/agent/test/approval/approval-timeout.test.ts'],
  },
  {
    name: 'a question has no clock',
    file: 'packages/agent/src/approval/approval.ts',
    find: 'if (timeoutMs !== Infinity) wait(timeoutMs);',
    replace: '',
    tests: ['packages/agent/test/approval/approval-timeout.test.ts'],
  },
  // Model options.
  option('openai', 'openai/encode.ts', 'top_p'),
  option('openai-responses', 'responses/encode.ts', 'top_p'),
  option('anthropic', 'anthropic/settings.ts', 'top_p'),
  option('gemini', 'gemini/encode.ts', 'topP'),
  option('ollama', 'ollama/encode.ts', 'top_p'),
  option('bedrock', 'bedrock/settings.ts', 'topP'),
  // Files.
  {
    name: 'a session with fsync is not synced',
    file: 'packages/agent/src/session/file-session.ts',
    find: 'if (fsync) await handle.sync();',
    replace: '',
    tests: ['packages/agent/test/session/fsync.test.ts'],
  },
  {
    name: 'a session without fsync is synced',
    file: 'packages/agent/src/session/file-session.ts',
    find: 'if (fsync) await handle.sync();',
    replace: 'await handle.sync();',
    tests: ['packages/agent/test/session/fsync.test.ts'],
  },
  {
    name: 'the state of a registry is renamed before it is on the disk',
    file: 'packages/tools/src/registry/state-file.ts',
    find: 'await handle.sync();',
    replace: '',
    tests: ['packages/tools/test/registry/fsync.test.ts'],
  },
  ...['protocol', 'tools', 'providers', 'agent', 'mcp', 'offline', 'testing'].map((name): Mutant => ({
    name: `importing @kernel/${name} writes a file`,
    file: `packages/${name}/src/index.ts`,
    find: '',
    replace: "process.getBuiltinModule('node:fs').writeFileSync(process.getBuiltinModule('node:os').devNull, '');\n",
    tests: ['scripts/test/imports.system.test.ts'],
  })),
];
