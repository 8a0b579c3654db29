import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RunLimits, RunOptions } from '@kernel/agent';
import { type AgentConfig, extractToolChoice } from '@kernel/agent/config';
import { KernelError } from '@kernel/protocol';
import { costOf } from '@kernel/providers';
import { usageError } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import type { Flags } from '../options/flags.ts';
import { oneLine } from '../output/escape.ts';
import type { Output } from '../output/output.ts';
import { isStreamed } from '../output/view.ts';
import { loadAnswerSchema } from '../prompt/answer-schema.ts';
import { readSettingsFile } from '../prompt/settings-file.ts';
import { type OpenTools, openTools, type ToolsUse } from './open-tools.ts';

/** An agent that is ready to run: model, tools, system prompt, limits and approvals. */
export interface OpenAgent extends OpenTools {
  /** What a run of it takes, but for its messages. */
  readonly options: Omit<RunOptions, 'messages'>;
}

/** Opens the tools, their servers and the notes. Rejects with a usage error that names the flag, and with `PROVIDER_REFUSED` for a `--schema` without a model. */
export async function openAgent(
  invocation: Invocation,
  { system, ...use }: ToolsUse & { readonly system?: string | undefined } = {},
): Promise<OpenAgent> {
  if (invocation.flags.schema !== undefined && invocation.choice.provider.name === 'offline')
    throw new KernelError(
      'PROVIDER_REFUSED',
      'Offline cannot give an answer of a --schema: it has no language model.',
      {
        hint: 'Set a key such as OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama.',
        data: { provider: 'offline' },
      },
    );
  const { provider, choice, flags, loaded } = invocation;
  const prices = flags.price ?? loaded.config.model.prices;
  const tools = await openTools(invocation, {
    model: { provider, name: choice.model, prices },
    ...use,
  });
  try {
    return { ...tools, options: await optionsOf(invocation, tools, system) };
  } catch (error) {
    await tools.close();
    throw error;
  }
}

async function optionsOf(
  invocation: Invocation,
  { toolset, instructions, approve }: OpenTools,
  templateSystem: string | undefined,
): Promise<OpenAgent['options']> {
  const { flags, loaded, choice, provider, host, signal } = invocation;
  const { capabilities } = loaded.config.model;
  return {
    provider,
    model: choice.model,
    tools: toolset,
    system: await systemPrompt(invocation, instructions, templateSystem),
    ...extractToolChoice(capabilities.tools ?? capabilities.chat ?? {}),
    limits: runLimits(flags, loaded.config),
    ...(flags.schema === undefined ? {} : { output: await loadAnswerSchema(flags.schema, host) }),
    stream: isStreamed(invocation),
    signal,
    approve,
  };
}

/** The limits of a run: those of the flags, else of the config. Throws a usage error for a cost without prices. */
function runLimits(flags: Flags, { maxIterations, model }: AgentConfig): RunLimits {
  const {
    'max-turns': turns = maxIterations,
    'max-time': timeMs,
    'max-cost': max,
    price: prices = model.prices,
  } = flags;
  if (max !== undefined && prices === undefined)
    throw usageError('--max-cost needs --price IN,OUT, or model.prices in the config: the program knows no prices.');
  return {
    turns,
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(max === undefined || prices === undefined ? {} : { cost: { max, of: (usage) => costOf(usage, prices) } }),
  };
}

const ROLE = { flag: '--role', folder: 'roles', extension: '.md' };

/** The system prompt, the instructions of the bundle and the notes of the memory folder; `undefined` if all are empty. */
async function systemPrompt(
  { flags, loaded, host, output }: Invocation,
  instructions: string,
  templateSystem: string | undefined,
): Promise<string | undefined> {
  const role = flags.role === undefined ? undefined : await readSettingsFile(ROLE, flags.role, host);
  const system = flags['system-prompt'] ?? role?.trim() ?? templateSystem ?? loaded.config.systemPrompt ?? '';
  const memory = await memoryOf(flags.memory, loaded.config.memory?.path, host.cwd, output);
  const whole = [system, instructions, memory].filter(Boolean).join('\n\n');
  return whole === '' ? undefined : whole;
}

/** The notes of `--memory` or of the config. A folder of the config need not exist: nothing is remembered yet. */
async function memoryOf(
  flag: string | undefined,
  configured: string | undefined,
  cwd: string,
  output: Output,
): Promise<string> {
  if (flag !== undefined) return (await import('./memory.ts')).loadMemory(flag, cwd, output);
  if (configured === undefined || configured === '') return '';
  if (existsSync(resolve(cwd, configured))) {
    const { loadMemory } = await import('./memory.ts');
    return loadMemory(configured, cwd, output);
  }
  output.note(`memory: the folder "${oneLine(configured)}" does not exist yet, so there are no notes.`);
  return '';
}
