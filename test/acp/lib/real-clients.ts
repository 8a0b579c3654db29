import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PROGRAMS } from './real-agents.ts';
import { PROMPTS } from './scripted-model.ts';

/** What a client is given. */
export interface ClientTask {
  /** The command of the agent. */
  readonly command: readonly [string, ...string[]];
  /** The folder of the project. */
  readonly folder: string;
  /** All of its variables. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A client that starts any agent. */
export interface RealClient {
  /** The name of its recording. */
  readonly name: string;
  /** Its package, where it is from npm; it stands in `PROGRAMS`. */
  readonly package?: string;
  /** Its version with all that it needs, where it is not from npm; undefined where it is not installed. */
  version?(): string | undefined;
  /** Has the agent do the task with every question answered by yes. Returns what the client shows of it. */
  run(task: ClientTask): Promise<string>;
}

const acpx: RealClient = {
  name: 'acpx',
  package: 'acpx',
  run: (task) => runAcpx(task, ['--approve-all', '--format', 'text', 'exec', PROMPTS.task]),
};

const acpxDenied: RealClient = {
  name: 'acpx-denied',
  package: 'acpx',
  run: (task) => runAcpx(task, ['--deny-all', '--no-terminal', '--format', 'text', 'exec', PROMPTS.task]),
};

function runAcpx({ command, folder, variables }: ClientTask, args: readonly string[]): Promise<string> {
  const agent = command.map((word) => `"${word}"`).join(' ');
  const all = [`${PROGRAMS}acpx/dist/cli.js`, '--agent', agent, '--cwd', folder, ...args];
  return new Promise((resolve) => {
    const options = { cwd: folder, env: variables, timeout: 60_000 };
    execFile(process.execPath, all, options, (error, stdout, stderr) => {
      resolve(error === null ? stdout : `${stdout}${stderr}\n(exit code ${String(error.code)})`);
    });
  });
}

/** What is used of `acp-factory`. */
interface AcpFactory {
  readonly AgentFactory: {
    register(
      name: string,
      agent: {
        readonly command: string;
        readonly args: readonly string[];
        readonly env: Readonly<Record<string, string>>;
      },
    ): void;
    spawn(
      name: string,
      options: { readonly permissionMode: string },
    ): Promise<{
      createSession(cwd: string): Promise<FactorySession>;
      close(): Promise<void>;
    }>;
  };
}

interface FactorySession {
  prompt(
    text: string,
  ): AsyncIterable<{ readonly sessionUpdate: string; readonly content?: { readonly text?: string } }>;
  cancel(): Promise<void>;
}

const acpFactory: RealClient = {
  name: 'acp-factory',
  package: 'acp-factory',
  async run({ command: [program, ...args], folder, variables }) {
    const { AgentFactory } = (await load('acp-factory/dist/index.js')) as AcpFactory;
    AgentFactory.register('tried', { command: program, args, env: variables });
    const agent = await AgentFactory.spawn('tried', { permissionMode: 'auto-approve' });
    const shown: string[] = [];
    try {
      const session = await agent.createSession(folder);
      for await (const { sessionUpdate, content } of session.prompt(PROMPTS.task))
        shown.push(content?.text ?? `[${sessionUpdate}]`);
      for await (const { sessionUpdate } of session.prompt(PROMPTS.long)) {
        if (sessionUpdate !== 'agent_message_chunk') continue;
        await session.cancel();
        shown.push('[cancelled]');
      }
    } finally {
      await agent.close();
    }
    return shown.join('');
  },
};

/** What is used of `@mcpc-tech/acp-ai-provider`, which makes an agent a model of the AI SDK, and of that. */
interface AcpProvider {
  createACPProvider(options: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly session: { readonly cwd: string; readonly mcpServers: readonly [] };
  }): { languageModel(): unknown; readonly tools: unknown; cleanup(): void };
}
interface AiSdk {
  streamText(options: { readonly model: unknown; readonly tools: unknown; readonly prompt: string }): {
    readonly textStream: AsyncIterable<string>;
  };
}

const aiProvider: RealClient = {
  name: 'acp-ai-provider',
  package: '@mcpc-tech/acp-ai-provider',
  async run({ command: [command, ...args], folder, variables }) {
    const { createACPProvider } = (await load('@mcpc-tech/acp-ai-provider/index.mjs')) as AcpProvider;
    const { streamText } = (await load('ai/dist/index.mjs')) as AiSdk;
    const provider = createACPProvider({ command, args, env: variables, session: { cwd: folder, mcpServers: [] } });
    let shown = '';
    try {
      const { textStream } = streamText({
        model: provider.languageModel(),
        tools: provider.tools,
        prompt: PROMPTS.task,
      });
      for await (const text of textStream) shown += text;
    } finally {
      provider.cleanup();
    }
    return shown;
  },
};

/** The example of the SDK's repository, which starts `npx tsx …/agent.ts`: here that is whatever stands in the PATH as `npx`. */
const example: RealClient = {
  name: 'sdk-example-client',
  package: 'sdk-examples',
  run({ command, folder, variables }) {
    const bin = join(folder, '..', 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'npx'), `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')}\n`, {
      mode: 0o755,
    });
    const env = { ...variables, PATH: `${bin}:${variables['PATH'] ?? ''}` };
    const client = spawn(process.execPath, [`${PROGRAMS}sdk-examples/dist/examples/client.js`], { cwd: folder, env });
    let shown = '';
    for (const pipe of [client.stdout, client.stderr]) pipe.setEncoding('utf8');
    client.stderr.on('data', (text: string) => (shown += text));
    client.stdout.on('data', (text: string) => {
      shown += text;
      // The first option, whenever it asks.
      if (text.includes('Choose an option')) client.stdin.write('1\n');
    });
    return new Promise((resolve) => client.once('close', () => resolve(shown)));
  },
};

/** Where the plugins of editors are, each as its repository has it. */
const PLUGINS = `${PROGRAMS}plugins/`;
const SCRIPTS = fileURLToPath(new URL('../editors/', import.meta.url));

const codeCompanion = editor(
  'neovim',
  'codecompanion',
  ['nvim', '--headless', '-i', 'NONE', '-n', '-u'],
  'codecompanion.lua',
  [['codecompanion.nvim', 'codecompanion.nvim/version.txt']],
);

const agentShell = editor('emacs', 'agent-shell', ['emacs', '--batch', '-l'], 'agent-shell.el', [
  ['agent-shell', 'agent-shell/agent-shell.el'],
  ['acp.el', 'acp.el/acp.el'],
]);

/** A plugin of an editor, which a script of `test/acp/editors` uses as a person would, with the entry of `--setup` as it is. */
function editor(
  setup: string,
  name: string,
  [program, ...args]: readonly [string, ...string[]],
  script: string,
  plugins: readonly (readonly [string, string])[],
): RealClient {
  return {
    name,
    version() {
      const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
      if (stdout === null || plugins.some(([, file]) => !existsSync(PLUGINS + file))) return undefined;
      const versions = plugins.map(([plugin, file]) => {
        const text = readFileSync(PLUGINS + file, 'utf8');
        return `${plugin}@${/(?:^|Version: )(\d[\w.]*)/m.exec(text)?.[1] ?? '?'}`;
      });
      return `${versions.join(' with ')} in ${stdout.split('\n', 1)[0]}`;
    },
    run({ command, folder, variables }) {
      const bin = join(folder, '..', 'bin');
      mkdirSync(bin, { recursive: true });
      const at = command.indexOf('acp');
      const words = command.slice(0, at).map((word) => `'${word}'`);
      writeFileSync(join(bin, 'prompt-agent'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
      const env = { ...variables, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
      const entry = join(bin, 'entry');
      // What a person would paste; the relay, which comes before it, has nothing to do with that.
      writeFileSync(entry, execFileSync(process.execPath, [...command.slice(4), '--setup', setup], { env }));
      const prompts = { TASK: PROMPTS.task, LONG: PROMPTS.long };
      const options = { cwd: folder, env: { ...env, ...prompts, PLUGINS, ENTRY: entry }, timeout: 90_000 };
      return new Promise((resolve) => {
        execFile(program, [...args, SCRIPTS + script], options, (_error, stdout, stderr) => resolve(stdout + stderr));
      });
    },
  };
}

function load(file: string): Promise<unknown> {
  return import(pathToFileURL(PROGRAMS + file).href);
}

/** Those that were tried. */
export const REAL_CLIENTS: readonly RealClient[] = [
  acpx,
  acpxDenied,
  acpFactory,
  aiProvider,
  example,
  codeCompanion,
  agentShell,
];
