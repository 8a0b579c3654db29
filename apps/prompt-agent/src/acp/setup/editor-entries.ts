import type { Flags } from '../../options/flags.ts';

export type EditorName = NonNullable<Flags['setup']>;

/** What is set up for an editor. */
export interface Setup {
  /** Where the entry belongs. */
  readonly where: string;
  /** The entry as text. */
  readonly text: string;
  /** The entry as JSON, for an editor whose settings are; `-o FILE` adds it to a file. */
  readonly json?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** How an editor starts this program. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The name of this program, and of its entries. */
export const NAME = 'prompt-agent';

/** What each editor needs, by how it starts this program. */
export const SETUPS: Readonly<Record<EditorName, (start: StartCommand) => Setup>> = {
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
