import type { Mutant } from './mutant.ts';

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

/** Faults of defaults: clocks and the number of connections. */
export const DEFAULT_MUTANTS: readonly Mutant[] = [
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
    tests: ['packages/mcp/test/default-clocks.system.test.ts'],
  },
  {
    ...mcp,
    name: 'a call of a remote tool may take 61 s',
    file: 'packages/mcp/src/client/connect.ts',
    find: 'timeoutMs = 60_000,',
    replace: 'timeoutMs = 61_000,',
    tests: ['packages/mcp/test/default-clocks.system.test.ts'],
  },
  {
    ...mcp,
    name: 'a connection to a server may take 61 s',
    file: 'packages/mcp/src/client/connect.ts',
    find: 'options.connectTimeoutMs ?? 60_000',
    replace: 'options.connectTimeoutMs ?? 61_000',
    tests: ['packages/mcp/test/default-clocks.system.test.ts'],
  },
  timeouts('a connection to a model may take 31 s', 'connectMs: 30_000', 'connectMs: 31_000'),
  timeouts('the first byte may take 301 s', 'firstByteMs: 300_000', 'firstByteMs: 301_000'),
  timeouts('a reply may pause for 121 s', 'idleMs: 120_000', 'idleMs: 121_000'),
  timeouts('a total clock is on by default', 'totalMs: 0 }', 'totalMs: 600_000 }'),
  {
    ...providers,
    name: 'a provider opens 11 connections',
    file: 'packages/providers/src/wire/wire.ts',
    find: 'DEFAULT_CONNECTIONS = 10',
    replace: 'DEFAULT_CONNECTIONS = 11',
    tests: ['packages/providers/test/http/defaults.test.ts'],
  },
  {
    ...providers,
    name: 'a provider opens 9 connections',
    file: 'packages/providers/src/wire/wire.ts',
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
    file: 'packages/providers/src/http/vendor-error.ts',
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
];
