/** A fault that some test must notice. */
export interface Mutant {
  /** What the fault breaks, in words. */
  readonly name: string;
  /** The source, relative to the root. */
  readonly file: string;
  /** Text that is in the file exactly once; empty for the beginning of the file. */
  readonly find: string;
  readonly replace: string;
  /** The vitest project and the test files in it that must fail. */
  readonly project: string;
  readonly tests: readonly string[];
}

const tools = { project: 'tools' } as const;
const agent = { project: 'agent' } as const;
const providers = { project: 'providers' } as const;
const mcp = { project: 'mcp' } as const;

const TIMEOUTS = 'packages/providers/src/http/timeouts.ts';
const timeouts = (name: string, find: string, replace: string): Mutant => ({
  ...providers,
  name,
  file: TIMEOUTS,
  find,
  replace,
  tests: ['packages/providers/test/http/defaults.test.ts'],
});

const option = (wire: string, file: string, field: string): Mutant => ({
  ...providers,
  name: `${wire} drops top_p`,
  file: `packages/providers/src/${file}`,
  find: `${field}: options.topP`,
  replace: `${field}: undefined`,
  tests: ['packages/providers/test/wire/model-options.test.ts'],
});

/** Faults that were once unnoticed. `pnpm mutants` puts in each and expects its tests to fail. */
export const MUTANTS: readonly Mutant[] = [
  // Default clocks.
  {
    ...tools,
    name: 'the default clock of a call is 31 s',
    file: 'packages/tools/src/registry/registry.ts',
    find: 'DEFAULT_TIMEOUT_MS = 30_000',
    replace: 'DEFAULT_TIMEOUT_MS = 31_000',
    tests: ['packages/tools/test/call/clocks.test.ts'],
  },
  {
    ...tools,
    name: 'a capability is cached for 61 s',
    file: 'packages/tools/src/capabilities.ts',
    find: 'DEFAULT_TTL_MS = 60_000',
    replace: 'DEFAULT_TTL_MS = 61_000',
    tests: ['packages/tools/test/call/default-clocks.test.ts'],
  },
  {
    ...tools,
    name: 'the check of a capability may take 6 s',
    file: 'packages/tools/src/capabilities.ts',
    find: 'DEFAULT_TIMEOUT_MS = 5_000',
    replace: 'DEFAULT_TIMEOUT_MS = 6_000',
    tests: ['packages/tools/test/call/default-clocks.test.ts'],
  },
  {
    ...tools,
    name: 'a condition may delay a turn for 11 s',
    file: 'packages/tools/src/registry/availability.ts',
    find: 'TURN_TIMEOUT_MS = 10_000',
    replace: 'TURN_TIMEOUT_MS = 11_000',
    tests: ['packages/tools/test/call/default-clocks.test.ts'],
  },
  {
    ...agent,
    name: 'the beginning of a turn may take 31 s',
    file: 'packages/agent/src/loop/offered-tools.ts',
    find: 'BEGIN_TURN_TIMEOUT_MS = 30_000',
    replace: 'BEGIN_TURN_TIMEOUT_MS = 31_000',
    tests: ['packages/agent/test/loop/defaults.test.ts'],
  },
  {
    ...agent,
    name: '`await` waits 301 s',
    file: 'packages/agent/src/wrappers/with-async-policy.ts',
    find: 'DEFAULT_TIMEOUT_MS = 300_000',
    replace: 'DEFAULT_TIMEOUT_MS = 301_000',
    tests: ['packages/agent/test/loop/defaults.test.ts'],
  },
  {
    ...agent,
    name: '`await` waits without end',
    file: 'packages/agent/src/wrappers/with-async-policy.ts',
    find: 'timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS',
    replace: 'timeoutMs < 0',
    tests: ['packages/agent/test/loop/defaults.test.ts'],
  },
  {
    ...mcp,
    name: 'the beginning of a turn of a served toolset may take 31 s',
    file: 'packages/mcp/src/server/tools/toolset-turns.ts',
    find: 'BEGIN_TURN_TIMEOUT_MS = 30_000',
    replace: 'BEGIN_TURN_TIMEOUT_MS = 31_000',
    tests: ['packages/mcp/test/default-clocks.test.ts'],
  },
  {
    ...mcp,
    name: 'a call of a remote tool may take 61 s',
    file: 'packages/mcp/src/client/connect.ts',
    find: 'timeoutMs = 60_000, graceMs',
    replace: 'timeoutMs = 61_000, graceMs',
    tests: ['packages/mcp/test/default-clocks.test.ts'],
  },
  {
    ...mcp,
    name: 'a connection to a server may take 61 s',
    file: 'packages/mcp/src/client/connect.ts',
    find: 'options.connectTimeoutMs ?? 60_000',
    replace: 'options.connectTimeoutMs ?? 61_000',
    tests: ['packages/mcp/test/default-clocks.test.ts'],
  },
  timeouts('a connection to a model may take 31 s', 'connectMs: 30_000', 'connectMs: 31_000'),
  timeouts('the first byte may take 301 s', 'firstByteMs: 300_000', 'firstByteMs: 301_000'),
  timeouts('a reply may pause for 121 s', 'idleMs: 120_000', 'idleMs: 121_000'),
  timeouts('a total clock is on by default', 'totalMs: 0 }', 'totalMs: 600_000 }'),
  {
    ...providers,
    name: 'a provider opens 11 connections',
    file: 'packages/providers/src/wire/wire-context.ts',
    find: 'DEFAULT_CONNECTIONS = 10',
    replace: 'DEFAULT_CONNECTIONS = 11',
    tests: ['packages/providers/test/http/defaults.test.ts'],
  },
  {
    ...providers,
    name: 'a provider opens 9 connections',
    file: 'packages/providers/src/wire/wire-context.ts',
    find: 'DEFAULT_CONNECTIONS = 10',
    replace: 'DEFAULT_CONNECTIONS = 9',
    tests: ['packages/providers/test/http/defaults.test.ts'],
  },
  {
    ...providers,
    name: 'a provider that failed rests 61 s',
    file: 'packages/providers/src/policies/fallback.ts',
    find: 'options.coolDownMs, 60_000',
    replace: 'options.coolDownMs, 61_000',
    tests: ['packages/providers/test/http/defaults.test.ts'],
  },
  {
    ...providers,
    name: 'the longest backoff is 31 s',
    file: 'packages/providers/src/policies/retry.ts',
    find: 'options.maxBackoffMs, 30_000',
    replace: 'options.maxBackoffMs, 31_000',
    tests: ['packages/providers/test/policies/retry.test.ts'],
  },
  {
    ...providers,
    name: 'a server may ask for a wait of 61 s',
    file: 'packages/providers/src/http/retry-after.ts',
    find: 'MAX_WAIT_MS = 60_000',
    replace: 'MAX_WAIT_MS = 61_000',
    tests: ['packages/providers/test/http/defaults.test.ts'],
  },
  {
    ...providers,
    name: 'the window of a rate limit is 61 s',
    file: 'packages/providers/src/policies/rate-queue.ts',
    find: 'WINDOW_MS = 60_000',
    replace: 'WINDOW_MS = 61_000',
    tests: ['packages/providers/test/policies/rate-limit.test.ts'],
  },
  // An abort settles within 50 ms.
  {
    ...agent,
    name: 'a run settles 51 ms after an abort',
    file: 'packages/agent/src/loop/call-tool.ts',
    find: 'ABORT_GRACE_MS = 30',
    replace: 'ABORT_GRACE_MS = 51',
    tests: ['packages/agent/test/loop/abort.test.ts'],
  },
  {
    ...tools,
    name: 'a call settles 51 ms after an abort',
    file: 'packages/tools/src/call/race-handler.ts',
    find: 'GRACE_MS = 20',
    replace: 'GRACE_MS = 51',
    tests: ['packages/tools/test/call/clocks.test.ts'],
  },
  // What a run hands over.
  {
    ...agent,
    name: 'LIMIT_REACHED has no messages',
    file: 'packages/agent/src/loop/run-end.ts',
    find: 'data: { ...end }',
    replace: 'data: { ...end, messages: [] }',
    tests: ['packages/agent/test/loop/defaults.test.ts'],
  },
  {
    ...agent,
    name: 'an empty `forUser` reaches the reader of events',
    file: 'packages/agent/src/loop/tool-calls.ts',
    find: "result.forUser !== '' && ",
    replace: '',
    tests: ['packages/agent/test/loop/defaults.test.ts'],
  },
  {
    ...agent,
    name: 'a silent result shows its `forUser`',
    file: 'packages/agent/src/loop/tool-calls.ts',
    find: ' && result.silent !== true',
    replace: '',
    tests: ['packages/agent/test/loop/defaults.test.ts'],
  },
  {
    ...agent,
    name: 'the output of a call step is not the JSON form of its result',
    file: 'packages/agent/src/loop/tool-calls.ts',
    find: 'result: toResultJson({ ...result, forLLM: toModelText(result) })',
    replace: 'result: { ...result, forLLM: toModelText(result) }',
    tests: ['packages/agent/test/loop/defaults.test.ts'],
  },
  // Approval.
  {
    ...agent,
    name: 'other arguments than the approved ones run',
    file: 'packages/agent/src/loop/tool-calls.ts',
    find: 'approvedDigest !== callDigest(call)',
    replace: 'approvedDigest === undefined',
    tests: ['packages/agent/test/approval/decisions.test.ts'],
  },
  // Model options.
  option('openai', 'openai/encode.ts', 'top_p'),
  option('openai-responses', 'responses/encode.ts', 'top_p'),
  option('anthropic', 'anthropic/settings.ts', 'top_p'),
  option('gemini', 'gemini/encode.ts', 'topP'),
  option('ollama', 'ollama/encode.ts', 'top_p'),
  option('bedrock', 'bedrock/encode.ts', 'topP'),
  // Files.
  {
    ...agent,
    name: 'a session with fsync is not synced',
    file: 'packages/agent/src/session/file-session.ts',
    find: 'if (fsync) await handle.sync();',
    replace: '',
    tests: ['packages/agent/test/session/fsync.test.ts'],
  },
  {
    ...agent,
    name: 'a session without fsync is synced',
    file: 'packages/agent/src/session/file-session.ts',
    find: 'if (fsync) await handle.sync();',
    replace: 'await handle.sync();',
    tests: ['packages/agent/test/session/fsync.test.ts'],
  },
  {
    ...tools,
    name: 'the state of a registry is renamed before it is on the disk',
    file: 'packages/tools/src/registry/state-file.ts',
    find: 'await handle.sync();',
    replace: '',
    tests: ['packages/tools/test/registry/fsync.test.ts'],
  },
  ...['protocol', 'tools', 'providers', 'agent', 'mcp', 'offline', 'testing'].map((name): Mutant => ({
    project: 'scripts',
    name: `importing @kernel/${name} writes a file`,
    file: `packages/${name}/src/index.ts`,
    find: '',
    replace: "process.getBuiltinModule('node:fs').writeFileSync(process.getBuiltinModule('node:os').devNull, '');\n",
    tests: ['scripts/test/imports.test.ts'],
  })),
];
