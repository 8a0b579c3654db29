import { estimateTokens } from '@kernel/agent';
import { callTool as runTool, toModelText, type Tool, toResultJson } from '@kernel/protocol';
import { costOf, type Dialect, lintTools } from '@kernel/providers';
import { toGbnf } from '@kernel/tools/grammar';
import { type OpenTools, openTools } from '../agent/open-tools.ts';
import { withApproval } from '../approval/with-approval.ts';
import type { CommandCall } from '../command-call.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { decodeText } from '../files/read-file.ts';
import { didYouMean } from '../output/did-you-mean.ts';
import { oneLine, safeJson } from '../output/escape.ts';
import { cutForTerminal } from '../output/terminal/changes.ts';
import { writeRows } from '../output/terminal/table.ts';
import { readStdin } from '../prompt/read-stdin.ts';

/** Opens the tools that the flags choose, hands them to `use`, and closes them. */
async function withTools(
  call: CommandCall,
  use: (tools: readonly Tool[], open: OpenTools) => number | void | Promise<number | void>,
): Promise<number> {
  const open = await openTools(call);
  try {
    const listed = await open.toolset.listFor?.({ turn: 1, signal: call.signal });
    return (await use(listed ?? open.toolset.list(), open)) ?? EXIT.answer;
  } finally {
    await open.close();
  }
}

/** Returns the tool of a name. Throws a usage error with near names. */
function toolNamed(name: string, tools: readonly Tool[]): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) return tool;
  const names = tools.map((each) => each.name);
  throw usageError(`There is no tool "${name}".${didYouMean(name, names, 3) || ` There are ${names.join(', ')}.`}`);
}

export function listTools(call: CommandCall): Promise<number> {
  return withTools(call, (tools) =>
    writeRows(
      call,
      tools,
      tools.map(({ name, effect = 'external', description }) => [name, effect, oneLine(description, 100)]),
    ),
  );
}

export function showTool(call: CommandCall): Promise<number> {
  return withTools(call, (tools) => {
    const tool = toolNamed(call.words[0] ?? '', tools);
    if (call.flags.json === true) return call.output.writeJson(tool, 2);
    const { name, description, effect = 'external', parameters } = tool;
    call.output.write(`${name} (${effect})\n${description}\n\nArguments:\n${safeJson(parameters, 2)}\n`);
  });
}

const OPTIONAL = { skipNote: 'The tool is called without arguments.' };

/**
 * Runs one tool with arguments as JSON, from the command line or stdin, and prints its result. Rules, approvals, checks and repairs of the arguments are
 * those of a run. Exits with 1 if the call failed, and with 4 if it was not allowed.
 */
export async function callTool(call: CommandCall): Promise<number> {
  const { flags, words, output, signal } = call;
  const [name = '', ...rest] = words;
  const given = rest.length > 0 ? rest.join(' ') : decodeText(await readStdin(call, OPTIONAL));
  if (given === undefined) throw usageError('The arguments on stdin are not text.');
  return withTools(call, async (tools, { toolset, approve }) => {
    toolNamed(name, tools);
    const json = given.trim() === '' ? '{}' : given;
    const request = { type: 'tool-call', id: 'call-1', name, arguments: json } as const;
    const result = await runTool(withApproval(toolset, approve), request, { signal });
    const isDenied = result.code === 'TOOL_DENIED';
    if (isDenied) output.note(`prompt-agent: ${toModelText(result).replace(/^TOOL_DENIED: /, '')}`);
    if (flags.json === true) output.writeJson(toResultJson(result), 2);
    else if (!isDenied) {
      const whole = toModelText(result).trimEnd();
      const { text, note } = output.capabilities.streams ? cutForTerminal(whole) : { text: whole };
      output.write(`${text}\n`);
      if (note !== undefined) output.note(note);
    }
    if (isDenied) return EXIT.approval;
    return result.isError === true ? EXIT.failed : EXIT.answer;
  });
}

const DIALECTS: readonly Dialect[] = ['openai', 'openai-strict', 'anthropic', 'gemini', 'mistral', 'ollama'];

/** Prints what each wire loses of the tools' schemas: keywords that a vendor does not take. Exits with 1 if there is any. */
export function lintToolsCommand(call: CommandCall): Promise<number> {
  return withTools(call, (tools) => {
    const found = DIALECTS.flatMap((dialect) =>
      tools.flatMap((tool) => lintTools([tool], dialect).map(({ message }) => ({ dialect, tool: tool.name, message }))),
    );
    if (call.flags.json === true) call.output.writeJson(found, 2);
    else {
      for (const { dialect, tool, message } of found)
        call.output.write(`${dialect}: ${oneLine(tool, 64)}: ${oneLine(message, 400)}\n`);
      if (found.length === 0) call.output.write(`${tools.length} tools, nothing to say\n`);
    }
    return found.length === 0 ? EXIT.answer : EXIT.failed;
  });
}

const CALLS = 1000;

/** Prints about how many tokens each tool adds to each request, and with `--price` what that costs in a thousand requests. */
export function priceTools(call: CommandCall): Promise<number> {
  const prices = call.flags.price;
  return withTools(call, (tools) => {
    const rows = tools.map(({ name, description, parameters }) => {
      const content = JSON.stringify({ name, description, parameters });
      return { name, tokens: estimateTokens({ role: 'user', content }) };
    });
    const sum = rows.reduce((all, { tokens }) => all + tokens, 0);
    const priced = [...rows, { name: 'together', tokens: sum }].map((row) => ({
      ...row,
      costOf1000Requests: prices && costOf({ inputTokens: row.tokens * CALLS, outputTokens: 0 }, prices),
    }));
    writeRows(
      call,
      priced,
      priced.map(({ name, tokens, costOf1000Requests: cost }) => [
        name,
        `${tokens} tokens`,
        ...(cost === undefined ? [] : [`$${cost.toFixed(4)} in ${CALLS} requests`]),
      ]),
    );
  });
}

/** Prints a grammar for llama.cpp that allows calls of these tools alone; what it cannot say is a note on stderr. */
export function toolGrammar(call: CommandCall): Promise<number> {
  return withTools(call, (tools) => {
    const { grammar, warnings } = toGbnf(tools);
    for (const { tool = '', path, keyword, effect } of warnings)
      call.output.note(
        `warning: ${oneLine(tool, 64)}: "${oneLine(keyword, 64)}" at ${oneLine(path, 100)} is ${effect} in the grammar`,
      );
    call.output.write(grammar.endsWith('\n') ? grammar : `${grammar}\n`);
  });
}
