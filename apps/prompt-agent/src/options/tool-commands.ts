import type { CommandSpec } from './command-spec.ts';
import { MODEL, TOOL_CHOICE, TOOLS } from './flag-groups.ts';

/** The commands about tools, and those that serve them. */
export const TOOL_COMMANDS = {
  'tools list': {
    usage: '',
    summary: 'list the tools on offer; show, call, lint, price, grammar',
    flags: [...TOOL_CHOICE, 'json'],
    maxWords: 0,
    examples: ['--bundle code_agent'],
  },
  'tools show': {
    usage: 'NAME',
    summary: 'print a tool whole: description, effect, arguments',
    flags: [...TOOL_CHOICE, 'json'],
    maxWords: 1,
    examples: ['read_file'],
  },
  'tools call': {
    usage: 'NAME [JSON]',
    summary: 'run a tool with arguments as JSON, here or on stdin',
    flags: [...TOOL_CHOICE, 'json'],
    maxWords: Infinity,
    examples: [`calculate '{"expression":"2+2"}'`],
  },
  'tools lint': {
    usage: '',
    summary: 'say what each wire loses of the tools',
    flags: [...TOOL_CHOICE, 'json'],
    maxWords: 0,
    examples: ['--tools ./tools.ts --execute'],
  },
  'tools price': {
    usage: '',
    summary: 'estimate the tokens that the tools add to each request',
    flags: [...TOOL_CHOICE, 'price', 'json'],
    maxWords: 0,
    examples: ['--bundle code_agent --price 0.15,0.6'],
  },
  'tools grammar': {
    usage: '',
    summary: 'print a grammar of the tools for llama.cpp',
    flags: TOOL_CHOICE,
    maxWords: 0,
    examples: ['> tools.gbnf'],
  },
  'serve mcp': {
    usage: '',
    summary: 'serve the tools to MCP clients; http: the agent with a page',
    flags: [...TOOL_CHOICE, 'port'],
    maxWords: 0,
    examples: ['--bundle code_agent --mode read-only', '--port 8000'],
  },
  'serve http': {
    usage: '',
    summary: 'serve the agent and a page to talk to it, on this machine',
    flags: [...MODEL, 'system-prompt', 'role', ...TOOLS, 'max-cost', 'max-time', 'price', 'port'],
    maxWords: 0,
    examples: ['--bundle code_agent --port 8080'],
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;
