import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { run } from '@kernel/agent';
import { splitToolChoice } from '@kernel/agent/config';
import { type AgentEvent, type RunEnd, toModelText, toResultJson, toolCallsOf, type Citation } from '@kernel/protocol';
import { createRegistry, type ToolBinding, type ToolRegistry } from '@kernel/tools';
import { createApprove } from '../approve.ts';
import { exitCodeOfRun } from '../exit-code.ts';
import { loadMemory } from '../memory.ts';
import { oneLine, safeJson } from '../render/escape.ts';
import { redactEvents } from '../render/redact-events.ts';
import { errorNote, toolNote, usageNote, serverToolNote } from '../render/notes.ts';
import { sourceNotes, sourcesOf } from '../render/sources.ts';
import type { Invocation } from '../invocation.ts';
import type { Output } from '../render/output.ts';
import { type AddedTools, builtInTools, createWorkspace, loadAddedTools } from '../tools/index.ts';
import { usageError } from '../usage-error.ts';

/**
 * Runs the agent on the prompt with the built-in tools and those of `--tools`. Only the answer reaches stdout; see the README for
 * `--json`.
 */
export async function runAgent(invocation: Invocation): Promise<number> {
  const { flags, host, output, signal } = invocation;
  if (flags.tools === undefined) return runWith(invocation, undefined);
  const trusted = (flags['trust-hints'] ?? '').split(',').filter((name) => name !== '');
  const added = await loadAddedTools({ given: flags.tools, trustHints: trusted, host, output, signal });
  try {
    return await runWith(invocation, added);
  } finally {
    await added.close();
  }
}

async function runWith(invocation: Invocation, added: AddedTools | undefined): Promise<number> {
  const { flags, loaded, choice, provider, prompt, host, output, signal } = invocation;
  const folder = flags.workspace ?? host.cwd;
  const workspace = await createWorkspace(folder).catch(() => {
    throw usageError(`--workspace "${folder}" is not a readable folder.`);
  });
  const { capabilities } = loaded.config.model;
  const events = run({
    provider,
    model: choice.model,
    messages: [{ role: 'user', content: prompt }],
    tools: registryOf(builtInTools(workspace), added),
    system: await systemPrompt(invocation),
    ...splitToolChoice(capabilities.tools ?? capabilities.chat ?? {}),
    limits: { turns: turnLimit(invocation) },
    stream: flags.stream ?? false,
    signal,
    // All built-in tools only read, and reading needs no approval.
    approve: createApprove(host, output),
  });
  const secret = typeof choice.provider.token === 'string' ? choice.provider.token : undefined;
  const end = await show(redactEvents(events, secret), invocation);
  if (flags.json === true) output.write(`${safeJson(summarize(end.run, end.calls, invocation))}\n`);
  else if (flags['json-lines'] !== true && flags.stream !== true && 'answer' in end.run)
    output.write(end.run.answer ?? '');
  output.finish();
  for (const note of sourceNotes(sourcesOf(end.run.messages))) output.note(note);
  if (flags.log === true) {
    for (const [index, { call, result }] of end.calls.entries()) {
      output.note(
        `[${index + 1}] ${oneLine(call.name, 64)}(${oneLine(call.arguments)}): ${oneLine(toModelText(result), 200)}`,
      );
    }
    output.note(`Iterations: ${end.run.turns}`);
  }
  const usage = usageNote(end.run.usage, end.run.turns);
  if (usage !== undefined) output.note(usage);
  const why = reasonNote(end.run);
  if (why !== undefined) output.note(why);
  return exitCodeOfRun(end.run, host.signal);
}

/** The most characters of a result that a model gets: what `read_file` may return, and a margin. */
const MAX_RESULT_LENGTH = 300_000;

/** Creates the registry. A taken or illegal name among the added tools is a usage error of `--tools`. */
function registryOf(builtIn: readonly ToolBinding[], added: AddedTools | undefined): ToolRegistry {
  try {
    const registry = createRegistry([...builtIn, ...(added?.bindings ?? [])], { resultLimit: MAX_RESULT_LENGTH });
    if (added?.toolset !== undefined) registry.mount('', added.toolset); // its names have their prefixes already
    return registry;
  } catch (error) {
    throw usageError(`--tools: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** `--max-turns`, else `--max-iterations` (-1 keeps the config), else the config, else the default. 0 means no limit. */
function turnLimit({ flags, loaded }: Invocation): number | undefined {
  const given = flags['max-turns'] ?? flags['max-iterations'];
  return given === undefined || given === '-1' ? loaded.config.maxIterations : Number(given);
}

/** The system prompt followed by the notes of the memory folder; `undefined` if both are empty. */
async function systemPrompt({ flags, loaded, host, output }: Invocation): Promise<string | undefined> {
  const system = flags['system-prompt'] ?? loaded.config.systemPrompt ?? '';
  const memory = await memoryOf(flags.memory, loaded.config.memory?.path, host.cwd, output);
  const whole = [system, memory].filter(Boolean).join('\n\n');
  return whole === '' ? undefined : whole;
}

/** The notes of `--memory` or of the config. A folder of the config need not exist, as in the kernel program: nothing is remembered yet. */
async function memoryOf(
  flag: string | undefined,
  configured: string | undefined,
  cwd: string,
  output: Output,
): Promise<string> {
  if (flag !== undefined) return loadMemory(flag, cwd);
  if (configured === undefined || configured === '') return '';
  if (existsSync(resolve(cwd, configured))) return loadMemory(configured, cwd);
  output.note(`memory: the folder "${oneLine(configured)}" does not exist yet, so there are no notes.`);
  return '';
}

type ToolEnds = Extract<AgentEvent, { type: 'tool-end' }>;

async function show(
  events: AsyncIterable<AgentEvent>,
  { flags, output }: Invocation,
): Promise<{ readonly run: RunEnd; readonly calls: readonly ToolEnds[] }> {
  const calls: ToolEnds[] = [];
  const isText = flags.stream === true && flags.json !== true && flags['json-lines'] !== true;
  let end: RunEnd | undefined;
  for await (const event of events) {
    if (flags['json-lines'] === true)
      output.write(
        `${safeJson(event.type === 'tool-end' ? { ...event, result: toResultJson(event.result) } : event)}\n`,
      );
    if (event.type === 'text-delta' && isText) output.write(event.text);
    else if (event.type === 'message-end') {
      for (const warning of event.warnings ?? []) output.note(`warning: ${oneLine(warning.message)}`);
      for (const call of event.droppedCalls ?? [])
        output.note(`not run: ${oneLine(call.name, 64)} (the reply ended with ${call.reason})`);
      if (isText && toolCallsOf(event.message).length > 0) output.finish();
    } else if (event.type === 'reply-withdrawn') {
      if (isText) output.finish();
      output.note(`the reply broke off (${event.code}) and is asked for again`);
    } else if (event.type === 'turn-start' && flags.verbose === true)
      output.note(`turn: ${event.turn}, ${event.tools.length} tools`);
    else if (event.type === 'tool-end') {
      calls.push(event);
      output.note(toolNote(event));
      if (flags.verbose === true) output.note(`result: ${oneLine(toModelText(event.result), 400)}`);
    } else if (event.type === 'server-tool-result') output.note(serverToolNote(event));
    else if (event.type === 'run-end') end = event;
  }
  if (end === undefined) throw new Error('The run ended without a run-end.');
  return { run: end, calls };
}

/** The object of `--json`, version 1. */
function summarize(end: RunEnd, calls: readonly ToolEnds[], { choice }: Invocation): object {
  return {
    version: 1,
    reason: end.reason,
    ...('answer' in end && end.answer !== undefined ? { answer: end.answer } : {}),
    ...('limit' in end ? { limit: end.limit } : {}),
    ...('error' in end ? { error: end.error } : {}),
    provider: choice.provider.name,
    model: choice.model,
    turns: end.turns,
    usage: end.usage,
    ...sourcesField(end),
    toolCalls: calls.map(({ call, result, durationMs }) => ({
      name: call.name,
      arguments: call.arguments,
      durationMs: Math.round(durationMs),
      result: toResultJson(result),
    })),
  };
}

/** The sources of the answer, if there are some. */
function sourcesField({ messages }: RunEnd): { sources?: readonly Citation[] } {
  const sources = sourcesOf(messages);
  return sources.length === 0 ? {} : { sources };
}

function reasonNote(end: RunEnd): string | undefined {
  switch (end.reason) {
    case 'done':
    case 'handled':
      return undefined;
    case 'error':
      return errorNote(end.error);
    case 'limit':
      return `prompt-agent: the run reached its limit (${end.limit}) before an answer.`;
    case 'aborted':
      return 'prompt-agent: interrupted';
    case 'length':
      return 'prompt-agent: the reply was cut by its length limit.';
    case 'filtered':
      return "prompt-agent: the reply was stopped by the vendor's filter.";
    case 'loop':
      return 'prompt-agent: the model repeated the same calls, so the run was stopped.';
    case 'approval':
      return 'prompt-agent: calls wait for a decision.';
  }
}
