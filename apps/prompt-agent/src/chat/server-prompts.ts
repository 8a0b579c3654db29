import { untilAborted, visible } from '@kernel/internal';
import type { McpContents, McpPrompt } from '@kernel/mcp';
import { type Message, textOf } from '@kernel/protocol';
import { usageError } from '../exit-code.ts';
import { checkedPart } from '../mcp-servers/attach-resources.ts';
import { splitCommand } from '../options/split-command.ts';
import { didYouMean } from '../output/did-you-mean.ts';
import { oneLine } from '../output/escape.ts';
import { hasTerminal } from '../questions/ask.ts';
import { askAbout } from '../questions/question.ts';
import type { ChatContext } from './chat-context.ts';

/** The longest text of a message that is shown before it is sent. */
const MAX_SHOWN = 400;

/**
 * Sends a prompt that a server has prepared: `/server:prompt NAME=VALUE…`. Arguments that are not given are asked for, with the completion of the server; an optional one
 * may be left out. Resolves to `undefined` where nothing was sent: there is no such prompt, or a question was not answered.
 */
export async function sendServerPrompt(
  server: string,
  name: string,
  given: string,
  context: ChatContext,
): Promise<number | undefined> {
  const { agent, conversation, invocation, signal } = context;
  const contents = await untilAborted((await agent.servers()).contents(server), signal);
  const prompts = await contents.listPrompts({ server, signal });
  const prompt = prompts.find((each) => each.name === name);
  if (prompt === undefined) {
    const names = prompts.map((each) => each.name);
    throw usageError(`"${oneLine(server, 64)}" has no prompt "${oneLine(name, 64)}".${didYouMean(name, names)}`);
  }
  const values = await valuesFor(prompt, given, contents, context);
  if (values === undefined) {
    invocation.output.alert('nothing was sent');
    return undefined;
  }
  const messages = await contents.getPrompt({ server, name }, values, { signal });
  if (messages.length === 0)
    throw usageError(`The prompt "${oneLine(name, 64)}" of "${oneLine(server, 64)}" is empty.`);
  invocation.output.note(`MCP server "${visible(server)}" has this sent for you:`);
  for (const message of messages) invocation.output.note(`  ${message.role}: ${oneLine(textOf(message), MAX_SHOWN)}`);
  return conversation.sendMessages(
    messages.map((message) => checked(message, `${server}:${name}`)),
    signal,
  );
}

/** A message with texts as they are, since the user has chosen them, and media by their first bytes. */
function checked(message: Message, name: string): Message {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  return {
    ...message,
    content: message.content.map((part) => (part.type === 'text' ? part : checkedPart(part, name))),
  };
}

async function valuesFor(
  prompt: McpPrompt,
  given: string,
  contents: McpContents,
  { invocation, signal, answers }: ChatContext,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { output, host } = invocation;
  const values = new Map(givenValues(prompt, given));
  for (const { name, description = '', required } of prompt.arguments) {
    if (values.has(name)) continue;
    if (!hasTerminal(host)) {
      if (required) throw usageError(`/${prompt.server}:${prompt.name} needs ${oneLine(name, 64)}=VALUE.`);
      continue;
    }
    const about = description === '' ? '' : `: ${description}`;
    const lines = [visible(`MCP server "${prompt.server}", prompt "${prompt.name}": ${name}${about}`)];
    const question = [`${visible(name)}${required ? '' : ' [Enter: leave out]'}:`];
    const known = Object.fromEntries(values);
    answers?.complete((value) =>
      contents.complete(
        { server: prompt.server, prompt: prompt.name, argument: name, value, given: known },
        { signal: AbortSignal.any([signal, AbortSignal.timeout(5000)]) },
      ),
    );
    try {
      // oxlint-disable-next-line no-await-in-loop -- one argument after the other
      const value = (await askAbout(host, output, { lines, question }, signal))?.trim();
      if (value === undefined || (value === '' && required)) return undefined;
      if (value !== '') values.set(name, value);
    } finally {
      answers?.complete(undefined);
    }
  }
  return Object.fromEntries(values);
}

function givenValues(prompt: McpPrompt, given: string): readonly (readonly [string, string])[] {
  if (given === '') return [];
  return splitCommand(given, `/${prompt.server}:${prompt.name}`).map((word) => {
    const at = word.indexOf('=');
    const name = word.slice(0, Math.max(0, at));
    const names = prompt.arguments.map((each) => each.name);
    if (names.includes(name)) return [name, word.slice(at + 1)];
    throw usageError(
      `"${oneLine(word, 80)}" is not an argument of this prompt. ${names.length === 0 ? 'It takes none.' : `Write NAME=VALUE; it takes ${names.map((each) => oneLine(each, 64)).join(', ')}.`}`,
    );
  });
}
