import { chmod, lstat, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorMessage, findOnPath, isObject, parseJson, visible } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { CommandCall } from '../../command-call.ts';
import { EXIT, usageError } from '../../exit-code.ts';
import type { Flags } from '../../options/flags.ts';

type EditorName = NonNullable<Flags['setup']>;

interface Setup {
  /** Where the entry belongs. */
  readonly where: string;
  /** The entry as text. */
  readonly text: string;
  /** The entry as JSON, for an editor whose settings are; `-o FILE` adds it to a file. */
  readonly json?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const NAME = 'prompt-agent';

/**
 * Prints what an editor needs in its settings to start this program, with the flags of this call; with `-o FILE` adds it to a JSON file of settings, whose other entries
 * stay. Rejects with a usage error for a file that is not plain JSON, which is left as it is.
 */
export async function setup({ flags, host, output }: CommandCall, editor: EditorName): Promise<number> {
  if (flags.token !== undefined)
    throw usageError(
      'acp --setup writes the flags down, and a key does not belong there. Keep it: prompt-agent keys set PROVIDER.',
    );
  const { where, text, json } = SETUPS[editor](startCommand(host.env, argumentsFrom(host.argv)));
  if (flags.output === undefined) {
    output.note(where);
    output.write(`${text}\n`);
    return EXIT.answer;
  }
  if (json === undefined)
    throw usageError(`--output: the settings of ${editor} are not JSON. Leave it out, and paste what is printed.`);
  const path = resolve(host.cwd, flags.output);
  await addEntry(path, json);
  output.note(`added to ${visible(path)}`);
  return EXIT.answer;
}

interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** How to start this program from anywhere: where it is on the PATH, else by npx. */
function startCommand(env: CommandCall['host']['env'], flags: readonly string[]): StartCommand {
  const found = findOnPath(NAME, { path: env['PATH'] });
  const args = ['acp', ...flags];
  return found === undefined
    ? { command: 'npx', args: ['-y', '@kernel/prompt-agent', ...args] }
    : { command: found, args };
}

/** The flags of this call that are for the program as the editor starts it. */
function argumentsFrom(argv: readonly string[]): readonly string[] {
  const own = /^(?:--?setup|--?output|-o)(=|$)/;
  return argv.flatMap((word, index) => {
    const before = own.exec(argv[index - 1] ?? '');
    if ((before !== null && before[1] === '') || own.test(word)) return [];
    return index === argv.indexOf('acp') ? [] : [word];
  });
}

const SETUPS: Readonly<Record<EditorName, (start: StartCommand) => Setup>> = {
  zed: ({ command, args }) =>
    jsonSetup('In the settings of Zed (zed: open settings file), then agent: new thread:', {
      agent_servers: { [NAME]: { type: 'custom', command, args, env: {} } },
    }),
  jetbrains: ({ command, args }) =>
    jsonSetup('In ~/.jetbrains/acp.json (AI Chat: Add Custom Agent):', {
      agent_servers: { [NAME]: { command, args, env: {} } },
    }),
  neovim: ({ command, args }) => ({
    where: 'In your Neovim configuration, for CodeCompanion.nvim, or for avante.nvim:',
    // Each part is for those who have its plugin. avante.nvim gives an agent no variables but those of `env`.
    text: `-- CodeCompanion.nvim
local has_codecompanion, codecompanion = pcall(require, "codecompanion")
if has_codecompanion then
  codecompanion.setup({
    adapters = {
      acp = {
        prompt_agent = function()
          return require("codecompanion.adapters").extend("opencode", {
            name = "prompt_agent",
            formatted_name = "prompt-agent",
            commands = { default = { ${[command, ...args].map(quoted).join(', ')} } },
          })
        end,
      },
    },
    interactions = { chat = { adapter = "prompt_agent" } },
  })
end

-- avante.nvim
local has_avante, avante = pcall(require, "avante")
if has_avante then
  avante.setup({
    provider = "prompt-agent",
    -- Have it ask: by default it says yes to every question, and its inline buttons say no to every one.
    behaviour = { auto_approve_tool_permissions = false, confirmation_ui_style = "popup" },
    acp_providers = {
      ["prompt-agent"] = {
        command = ${quoted(command)},
        args = { ${args.map(quoted).join(', ')} },
        env = vim.fn.environ(),
      },
    },
  })
end`,
  }),
  emacs: ({ command, args }) => ({
    where: 'In your Emacs configuration, for agent-shell; then M-x agent-shell:',
    text: `(with-eval-after-load 'agent-shell
  (add-to-list
   'agent-shell-agent-configs
   (agent-shell-make-agent-config
    :identifier 'prompt-agent
    :mode-line-name "prompt-agent"
    :buffer-name "prompt-agent"
    :shell-prompt "prompt-agent> "
    :shell-prompt-regexp "prompt-agent> "
    :client-maker
    (lambda (buffer)
      (acp-make-client
       :command ${quoted(command)}
       :command-params '(${args.map(quoted).join(' ')})
       :context-buffer buffer)))))`,
  }),
};

function jsonSetup(where: string, json: NonNullable<Setup['json']>): Setup {
  return { where, text: JSON.stringify(json, undefined, 2), json };
}

/** A string of Lua and of Emacs Lisp, which agree on these. */
function quoted(text: string): string {
  return `"${text
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)}"`;
}

/**
 * Adds an entry to a file of settings, which may not be there yet. Nothing of what is there is lost: neither other entries, nor what the user has added to this one. A
 * link stays one, and what may read the file stays the same.
 */
async function addEntry(named: string, entry: NonNullable<Setup['json']>): Promise<void> {
  const refuse = (problem: string): never => {
    throw usageError(
      `--output: ${visible(named)} ${problem}, and was not changed. Leave it out, and paste what is printed.`,
    );
  };
  const isThere = (await lstat(named).catch(() => undefined)) !== undefined;
  const path = isThere ? await realpath(named).catch(() => refuse('is a link that leads nowhere')) : named;
  const info = await stat(path).catch(() => undefined);
  if (info !== undefined && !info.isFile()) refuse('is not a file');
  try {
    const text = info === undefined ? '' : await readFile(path, 'utf8');
    const settings = text.trim() === '' ? {} : parseJson(text);
    if (!isObject(settings) || hasInexactNumber(text)) return refuse('is not plain JSON');
    const merged = Object.entries(entry).map(([key, value]) => {
      const there = settings[key] ?? {};
      return isObject(there)
        ? [key, { ...there, ...mergeEntries(there, value) }]
        : refuse(`has something else as "${key}"`);
    });
    await mkdir(dirname(path), { recursive: true });
    const draft = `${path}.${process.pid}.new`;
    const next = `${JSON.stringify({ ...settings, ...Object.fromEntries(merged) }, undefined, 2)}\n`;
    await writeFile(draft, next, { flag: 'wx' });
    // The mask of the process does not hold for the mode of what was there.
    if (info !== undefined) await chmod(draft, info.mode & 0o7777);
    await rename(draft, path);
  } catch (error) {
    if (KernelError.is(error)) throw error;
    refuse(`cannot be written (${errorMessage(error)})`);
  }
}

/** The new entries, with what only those that are there have, and their variables. */
function mergeEntries(
  there: Readonly<Record<string, unknown>>,
  entries: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const merged = Object.entries(entries).map(([name, entry]) => {
    const known = there[name];
    if (!isObject(known) || !isObject(entry)) return [name, entry] as const;
    return [name, { ...known, ...entry, ...(known['env'] !== undefined && { env: known['env'] }) }] as const;
  });
  return Object.fromEntries(merged);
}

/** Whether a JSON text has a whole number that would be written as another one. */
function hasInexactNumber(text: string): boolean {
  let isInexact = false;
  JSON.parse(text === '' ? '{}' : text, (_key, value: unknown, context?: { readonly source?: string }) => {
    const { source = '' } = context ?? {};
    isInexact ||= typeof value === 'number' && /^-?\d+$/.test(source) && String(value) !== source;
    return value;
  });
  return isInexact;
}
