import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WireReply } from '@kernel/testing';
import { LAST_WORDS, type TaskScript } from './scripted-model.ts';

/** Where the agents and clients of other people are installed, with its slash. */
export const PROGRAMS = fileURLToPath(new URL('../programs/node_modules/', import.meta.url));

/** Where an agent finds what it needs in a test. */
export interface AgentPlaces {
  /** `http://127.0.0.1:<port>` of the model. */
  readonly model: string;
  /** The home of the user. */
  readonly home: string;
  /** The folder of the project. */
  readonly folder: string;
}

/** An agent from npm whose model is a script. */
export interface RealAgent {
  /** The name of its recording. */
  readonly name: string;
  /** The folders of the npm packages whose versions matter. */
  readonly packages: readonly string[];
  /** What is started; JavaScript runs on Node. */
  readonly file: string;
  readonly args?: readonly string[];
  /** The variables that it needs besides those that every agent gets. */
  variables(places: AgentPlaces): Readonly<Record<string, string>>;
  /** The files that it needs, relative to the home. */
  files?(places: AgentPlaces): Readonly<Record<string, string>>;
  /** The mode in which it asks before it changes something, where that is not its first. */
  readonly mode?: string;
  /** The names of tools by which a request of the agent's own loop is known. */
  readonly tools: readonly string[];
  /** Reads greet.txt, changes it, runs check.sh and says so, with the tools of the agent, which works in the folder. */
  script(folder: string): TaskScript;
}

/** A reply that asks for one call. */
export const call = (text: string, name: string, args: Readonly<Record<string, unknown>>): WireReply => ({
  text,
  calls: [{ name, arguments: JSON.stringify(args) }],
});

/** The greeting of the project. */
export const OLD = 'Hello.';
/** The greeting that the model writes. */
export const NEW = 'Hello, and welcome!';
/** What the model runs behind the change. */
export const COMMAND = 'sh check.sh';

const gemini: RealAgent = {
  name: 'gemini-cli',
  packages: [PROGRAMS + '@google/gemini-cli'],
  file: PROGRAMS + '@google/gemini-cli/bundle/gemini.js',
  args: ['--experimental-acp', '--model', 'gemini-2.5-flash', '--skip-trust'],
  variables: ({ model }) => ({
    GOOGLE_GEMINI_BASE_URL: model,
    GEMINI_API_KEY: 'test',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
  }),
  files: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    }),
  }),
  tools: ['read_file', 'run_shell_command'],
  script: (folder) => [
    call('I read it first.', 'read_file', { file_path: join(folder, 'greet.txt') }),
    call('Now the change.', 'replace', {
      file_path: join(folder, 'greet.txt'),
      instruction: 'Make the greeting friendlier.',
      old_string: OLD,
      new_string: NEW,
    }),
    call('Now the check.', 'run_shell_command', { command: COMMAND, description: 'Runs the check' }),
    { text: LAST_WORDS },
  ],
};

const claude: RealAgent = {
  name: 'claude-agent-acp',
  packages: [PROGRAMS + '@agentclientprotocol/claude-agent-acp', PROGRAMS + '@anthropic-ai/claude-agent-sdk'],
  file: PROGRAMS + '@agentclientprotocol/claude-agent-acp/dist/index.js',
  variables: ({ model, home }) => ({
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: 'test',
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  mode: 'default',
  tools: ['Read', 'Bash'],
  script: (folder) => [
    call('I read it first.', 'Read', { file_path: join(folder, 'greet.txt') }),
    call('Now the change.', 'Edit', { file_path: join(folder, 'greet.txt'), old_string: OLD, new_string: NEW }),
    call('Now the check.', 'Bash', { command: COMMAND, description: 'Runs the check' }),
    { text: LAST_WORDS },
  ],
};

const codex: RealAgent = {
  name: 'codex-acp',
  packages: [PROGRAMS + '@agentclientprotocol/codex-acp', PROGRAMS + '@openai/codex'],
  file: PROGRAMS + '@agentclientprotocol/codex-acp/dist/index.js',
  variables: ({ home }) => ({
    CODEX_HOME: join(home, '.codex'),
    CODEX_API_KEY: 'test',
    SCRIPTED_KEY: 'test',
    NO_BROWSER: '1',
    INITIAL_AGENT_MODE: 'read-only',
  }),
  files: ({ model }) => ({
    '.codex/config.toml': [
      'model = "gpt-5"',
      'model_provider = "scripted"',
      'approval_policy = "on-request"',
      'sandbox_mode = "read-only"',
      'check_for_update_on_startup = false',
      '[analytics]',
      'enabled = false',
      '[model_providers.scripted]',
      'name = "Scripted"',
      `base_url = "${model}/v1"`,
      'env_key = "SCRIPTED_KEY"',
      'wire_api = "responses"',
      'supports_websockets = false',
      '',
    ].join('\n'),
  }),
  tools: ['exec_command'],
  script: () => [
    call('I read it first.', 'exec_command', { cmd: 'cat greet.txt' }),
    call('Now the change.', 'exec_command', {
      cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: greet.txt\n@@\n-${OLD}\n+${NEW}\n*** End Patch\nEOF`,
    }),
    call('Now the check.', 'exec_command', {
      cmd: COMMAND,
      sandbox_permissions: 'require_escalated',
      justification: 'May I run the check?',
    }),
    { text: LAST_WORDS },
  ],
};

const opencode: RealAgent = {
  name: 'opencode',
  packages: [PROGRAMS + 'opencode-ai'],
  file: PROGRAMS + 'opencode-linux-x64/bin/opencode',
  args: ['acp'],
  variables: ({ home, model }) => ({
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      model: 'scripted/scripted-model',
      small_model: 'scripted/scripted-model',
      autoupdate: false,
      share: 'disabled',
      permission: { edit: 'ask', bash: 'ask' },
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Scripted',
          options: { baseURL: `${model}/v1`, apiKey: 'test' },
          models: { 'scripted-model': { name: 'Scripted', limit: { context: 100_000, output: 4096 } } },
        },
      },
    }),
  }),
  tools: ['read', 'bash'],
  script: (folder) => [
    call('I read it first.', 'read', { filePath: join(folder, 'greet.txt') }),
    call('Now the change.', 'edit', { filePath: join(folder, 'greet.txt'), oldString: OLD, newString: NEW }),
    call('Now the check.', 'bash', { command: COMMAND, description: 'Runs the check' }),
    { text: LAST_WORDS },
  ],
};

const pi: RealAgent = {
  name: 'pi-acp',
  packages: [PROGRAMS + 'pi-acp', PROGRAMS + '@earendil-works/pi-coding-agent'],
  file: PROGRAMS + 'pi-acp/dist/index.js',
  variables: () => ({ PI_ACP_PI_COMMAND: join(PROGRAMS, '.bin/pi'), PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' }),
  files: ({ model }) => ({
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        scripted: {
          baseUrl: `${model}/v1`,
          api: 'openai-completions',
          apiKey: 'test',
          models: [{ id: 'scripted-model' }],
        },
      },
    }),
    '.pi/agent/settings.json': JSON.stringify({
      defaultProvider: 'scripted',
      defaultModel: 'scripted-model',
      quietStartup: true,
    }),
  }),
  tools: ['read', 'bash'],
  script: (folder) => [
    call('I read it first.', 'read', { path: join(folder, 'greet.txt') }),
    call('Now the change.', 'edit', {
      path: join(folder, 'greet.txt'),
      edits: [{ oldText: OLD, newText: NEW }],
    }),
    call('Now the check.', 'bash', { command: COMMAND }),
    { text: LAST_WORDS },
  ],
};

/** The examples of the SDK's repository, as the last release had them that has them. They have no model. */
const example = (name: string, file: string): RealAgent => ({
  name,
  packages: [PROGRAMS + 'sdk-examples'],
  file: `${PROGRAMS}sdk-examples/dist/examples/${file}`,
  variables: () => ({}),
  tools: [],
  script: () => [],
});

/** Those that were tried. */
export const REAL_AGENTS: readonly RealAgent[] = [
  gemini,
  codex,
  claude,
  opencode,
  pi,
  example('sdk-example-agent', 'agent.js'),
  example('sdk-dual-version-agent', 'dual-version-agent.js'),
];
