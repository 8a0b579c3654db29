import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { nearest, sliceHead, terminalText, visible } from '@kernel/internal';
import { type Message, textOf, toolCallsOf } from '@kernel/protocol';
import { errorNote, usageError } from '../exit-code.ts';
import { didYouMean } from '../output/did-you-mean.ts';
import { oneLine, safeJson } from '../output/escape.ts';
import { costNote } from '../output/terminal/note-view.ts';
import { usageNote } from '../output/terminal/notes.ts';
import { undoneLines } from '../workspace/undo.ts';
import type { ChatContext } from './chat-context.ts';
import type { sendServerPrompt } from './server-prompts.ts';

type SlashResult = number | 'leave' | undefined;

interface SlashCommand {
  readonly usage: string;
  readonly summary: string;
  readonly run: (context: ChatContext, argument: string) => SlashResult | Promise<SlashResult>;
}

const COMMANDS: Readonly<Record<string, SlashCommand>> = {
  help: { usage: '', summary: 'show the commands and keys', run: help },
  tools: { usage: '[NAME]', summary: 'list the tools, or describe one', run: tools },
  model: { usage: '[NAME]', summary: 'show the model, or use another one', run: model },
  undo: { usage: '', summary: 'take back what the last turn changed', run: undo },
  retry: { usage: '', summary: 'ask the last message again', run: retry },
  save: { usage: '[FILE]', summary: 'write the conversation to a new Markdown file', run: save },
  cost: { usage: '', summary: 'show the tokens and the cost of this chat', run: cost },
  compact: { usage: '', summary: 'replace the history by a summary', run: compact },
  permissions: { usage: '', summary: 'show the rules for calls', run: permissions },
  exit: { usage: '', summary: 'leave', run: () => 'leave' },
};

export const SLASH_NAMES: readonly string[] = Object.keys(COMMANDS).map((name) => `/${name}`);

/** The commands that are for anywhere, not for a terminal alone. */
export const EDITOR_COMMANDS: readonly { readonly name: string; readonly usage: string; readonly summary: string }[] =
  Object.entries(COMMANDS).flatMap(([name, { usage, summary }]) =>
    name === 'help' || name === 'exit' || name === 'model' ? [] : [{ name, usage, summary }],
  );

/** Sends a message, or runs the command that it is. A message that begins with a slash has two. */
export async function handleMessage(text: string, context: ChatContext): Promise<SlashResult> {
  if (isSlash(text)) return runSlash(text, context);
  return context.conversation.send(unescapeSlash(text), context.signal);
}

/** Whether a message is a command. */
export function isSlash(text: string): boolean {
  return text.startsWith('/') && !text.startsWith('//');
}

/** The message that a text with two slashes at its beginning is. */
export function unescapeSlash(text: string): string {
  return text.replace(/^\/\//, '/');
}

/** Runs a line that begins with a slash. What goes wrong is said, and the chat goes on. */
async function runSlash(line: string, context: ChatContext): Promise<SlashResult> {
  const { output } = context.invocation;
  const [name = ''] = line.slice(1).split(/\s/, 1);
  const argument = line.slice(1 + name.length);
  const [, server, prompt = ''] = /^([\w.-]{1,64}):(.{1,200})$/.exec(name) ?? [];
  const command =
    server !== undefined && (await hasServer(server, context))
      ? { run: () => sendPrompt(server, prompt, argument.trim(), context) }
      : Object.hasOwn(COMMANDS, name)
        ? COMMANDS[name]
        : undefined;
  if (command === undefined) {
    const [near] = nearest(name, Object.keys(COMMANDS), 1);
    const hint = near === undefined ? 'See /help.' : `Did you mean /${near}?`;
    output.alert(
      `There is no command /${oneLine(name, 40)}. ${hint} A message that begins with a slash is written with two.`,
    );
    return undefined;
  }
  try {
    return await command.run(context, argument.trim());
  } catch (error) {
    output.alert(context.signal.aborted ? 'stopped' : errorNote(error));
    return undefined;
  }
}

/** Whether a server of this name was added. What is wrong with the files of servers is said where one of them is used. */
async function hasServer(name: string, { agent }: ChatContext): Promise<boolean> {
  return agent.servers().then(
    ({ names }) => names.includes(name),
    () => false,
  );
}

async function sendPrompt(...args: Parameters<typeof sendServerPrompt>): Promise<SlashResult> {
  return (await import('./server-prompts.ts')).sendServerPrompt(...args);
}

function help({ invocation }: ChatContext): undefined {
  const rows = Object.entries(COMMANDS).map(
    ([name, { usage, summary }]) => `  ${`/${name} ${usage}`.padEnd(16)}${summary}`,
  );
  const keys = [
    '',
    '  Alt-Enter, or a backslash at the end of the line, begins another line; Tab completes commands, tools and @files.',
    '  @server:uri attaches a resource of an MCP server that you have added, /server:prompt sends one of its prompts.',
    '  What you type while the model works reaches it before its next step. Ctrl-C stops the turn, twice leaves; Ctrl-D leaves.',
  ];
  for (const line of [...rows, ...keys]) invocation.output.alert(line);
}

function tools({ agent, invocation }: ChatContext, name: string): undefined {
  const { output } = invocation;
  const all = agent.options.tools?.list() ?? [];
  if (name === '') {
    const width = Math.max(0, ...all.map((tool) => tool.name.length)) + 2;
    for (const tool of all)
      output.alert(
        `  ${visible(tool.name).padEnd(width)}${(tool.effect ?? 'external').padEnd(11)}${oneLine(tool.description, 90)}`,
      );
    return;
  }
  const tool = all.find((each) => each.name === name);
  if (tool === undefined) {
    const names = all.map((each) => each.name);
    output.alert(`There is no tool ${oneLine(name, 64)}.${didYouMean(name, names)}`);
    return;
  }
  output.alert(visible(tool.description));
  output.alert(`effect: ${tool.effect ?? 'external'}`);
  for (const line of safeJson(tool.parameters, 2).split('\n')) output.alert(line);
}

function model({ conversation, invocation }: ChatContext, name: string): undefined {
  const { choice, output } = invocation;
  if (name !== '' && choice.provider.name === 'offline')
    output.alert('offline uses no model. Give --provider or --base-url.');
  else if (name !== '') conversation.useModel(name);
  output.alert(oneLine(`model: ${choice.provider.name}/${conversation.model()}`));
}

async function undo({ conversation, invocation }: ChatContext): Promise<undefined> {
  const { output } = invocation;
  const { changes, refused } = await conversation.undo();
  for (const line of undoneLines(changes)) output.alert(visible(line));
  for (const line of refused) output.alert(visible(line));
  if (changes.length + refused.length === 0) output.alert('The last turn changed nothing that can be taken back.');
}

async function retry({ conversation, invocation, signal }: ChatContext): Promise<SlashResult> {
  const code = await conversation.retry(signal);
  if (code === undefined) invocation.output.alert('There is no message to ask again.');
  return code;
}

async function save({ conversation, invocation }: ChatContext, file: string): Promise<undefined> {
  const { host, output } = invocation;
  const name = file === '' ? `chat-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.md` : file;
  const text = transcriptOf(await conversation.history());
  if (text === '') {
    output.alert('There is nothing to save yet.');
    return;
  }
  await writeFile(resolve(host.cwd, name), text, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? usageError(`/save: ${visible(name)} exists already. Give another name.`) : error;
  });
  output.alert(`saved: ${visible(name)}`);
}

function cost({ conversation, invocation }: ChatContext): undefined {
  const { usage, turns } = conversation.totals();
  const known = costNote(usage, invocation.flags.price ?? invocation.loaded.config.model.prices);
  invocation.output.alert(usageNote(usage, turns) ?? 'tokens: none reported');
  if (known !== undefined) invocation.output.alert(known);
}

async function compact({ conversation, invocation, signal }: ChatContext): Promise<undefined> {
  const length = await conversation.compact(signal);
  signal.throwIfAborted();
  invocation.output.alert(
    length === 0 ? 'There is nothing to compact.' : `The history is now a summary of ${length} characters.`,
  );
}

function permissions({ agent, invocation }: ChatContext): undefined {
  const { output } = invocation;
  const rules = agent.rules();
  for (const rule of rules)
    for (const [verdict, text] of Object.entries(rule)) output.alert(`  ${verdict.padEnd(6)}${visible(text)}`);
  if (rules.length === 0) output.alert('There are no rules.');
  output.alert(`Your own rules are in ${visible(agent.rulesFile)}`);
}

/** Returns a conversation as Markdown, control characters escaped; empty for none. Calls are named, their results left out. */
export function transcriptOf(messages: readonly Message[]): string {
  const parts = messages.flatMap((message) => {
    const text = terminalText(textOf(message)).trim();
    if (message.role === 'user') return [`## You\n\n${text}`];
    if (message.role !== 'assistant') return [];
    const calls = toolCallsOf(message).map(({ name, arguments: json }) => `- called ${codeSpan(`${name} ${json}`)}`);
    return [
      ['## Model', ...(text === '' ? [] : [text]), ...(calls.length === 0 ? [] : [calls.join('\n')])].join('\n\n'),
    ];
  });
  return parts.length === 0 ? '' : `${parts.join('\n\n')}\n`;
}

/** A code span: its fence is longer than any run of backticks in it. */
function codeSpan(text: string): string {
  const line = sliceHead(terminalText(text.replaceAll(/\s+/g, ' ')), 500);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${line} ${fence}`;
}
