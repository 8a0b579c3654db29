import type { ToolEffect } from '@kernel/protocol';
import { usageError } from '../exit-code.ts';
import { LIMITS, SESSION, TOOLS } from './commands.ts';
import type { FlagName, Flags } from './flags.ts';
import { checkLimits } from './number-flags.ts';

const TEXT = ['agent', 'chat', 'vision', 'tools'];
/** Flags that have an effect only in some modes: with a protocol, or as `agent` without one. */
const EFFECT: readonly (readonly [modes: readonly string[], flags: readonly FlagName[]])[] = [
  [
    ['agent', 'vision'],
    ['images', 'allow-private-images'],
  ],
  [['tools'], ['tools-file']],
  [['audio'], ['audio']],
  [TEXT, ['stream', 'system-prompt']],
  [[...TEXT, 'embeddings'], ['file']],
  [['agent'], ['attach', 'schema', 'extract', ...TOOLS, ...LIMITS, ...SESSION, 'log', 'verbose']],
];

const BUNDLES: readonly string[] = ['code_agent', 'blog_agent'];
const MODES: readonly string[] = ['read-only', 'plan', 'act'];
const SANDBOXES: readonly string[] = ['auto', 'required', 'off'];
const EFFECTS: readonly string[] = ['read', 'idempotent', 'write', 'external'] satisfies readonly ToolEffect[];
const MODEL_ONLY = ['model', 'images', 'attach', 'base-url', 'token', 'system-prompt', 'memory'] as const;

/** Checks that the flags of `ask` are consistent, and returns the raw protocol and warnings about flags that do nothing. Throws a usage error of one line that names the flag. */
export function checkAsk(flags: Flags) {
  const { protocol } = flags;
  if (protocol !== undefined && !isProtocol(protocol)) {
    throw usageError(`--protocol "${protocol}" is unknown; it is one of ${PROTOCOL_NAMES.join(', ')}.`);
  }
  checkSession(flags);
  checkDurable(flags);
  if (protocol === 'vision' && (flags.images ?? '') === '') throw usageError('--protocol vision needs --images LIST.');
  if (protocol === 'tools' && (flags['tools-file'] ?? '') === '')
    throw usageError('--protocol tools needs --tools-file FILE.');
  if (protocol === 'audio' && (flags.audio ?? '') === '') throw usageError('--protocol audio needs --audio FILE.');
  if (flags.json === true && flags['json-lines'] === true)
    throw usageError('--json and --json-lines exclude each other.');
  if (protocol === undefined) checkTools(flags);
  else checkBundle(flags);
  if (flags.role !== undefined && flags['system-prompt'] !== undefined)
    throw usageError('--role and --system-prompt exclude each other: a role is a system prompt.');
  if (flags.var !== undefined && flags.template === undefined) throw usageError('--var needs -t, a template.');
  if (flags.replay !== undefined && flags.record !== undefined)
    throw usageError('--record and --replay exclude each other.');
  checkLimits(flags);
  const mode = protocol ?? 'agent';
  const idle = EFFECT.flatMap(([modes, names]) => (modes.includes(mode) ? [] : names));
  const warnings = idle
    .filter((flag) => flags[flag] !== undefined)
    .map(
      (flag) => `--${flag} has no effect ${protocol === undefined ? 'without' : 'with'} --protocol ${protocol ?? '…'}`,
    );
  return { protocol, warnings };
}

export function checkTools(flags: Flags): void {
  if ((flags.execute === true) !== (flags.tools !== undefined))
    throw usageError(
      flags.execute === true
        ? '--execute needs --tools, a module or an MCP server whose tools it runs.'
        : '--tools needs --execute, because those tools may change something.',
    );
  checkBundle(flags);
}

/** Checks that only one of the flags says which session it is. Throws a usage error that names them. */
export function checkSession({ continue: isContinued, session, 'no-session': isOff }: Flags): void {
  const given = [
    ...(isContinued === true ? ['--continue'] : []),
    ...(session === undefined ? [] : ['--session']),
    ...(isOff === true ? ['--no-session'] : []),
  ];
  if (given.length > 1) throw usageError(`${given.join(' and ')} exclude each other.`);
  if (session !== undefined && !/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(session))
    throw usageError(
      '--session must be a name of 1 to 64 letters, digits, blanks, dots, hyphens and underscores, the first a letter or digit.',
    );
}

function checkDurable({ durable, journal, protocol, 'no-session': isOff }: Flags): void {
  if (durable === true && isOff === true) throw usageError('--durable and --no-session exclude each other.');
  if (durable === true && protocol !== undefined)
    throw usageError('--durable and --protocol exclude each other: a raw call has no steps.');
  if (journal !== undefined && durable !== true) throw usageError('--journal needs --durable.');
  if (journal === '') throw usageError('--journal needs the path of a file.');
}

function checkBundle({ bundle, mode, sandbox, yes }: Flags): void {
  if (bundle !== undefined && !BUNDLES.includes(bundle))
    throw usageError(`--bundle "${bundle}" is unknown; it is one of ${BUNDLES.join(', ')}.`);
  if (mode !== undefined && !MODES.includes(mode))
    throw usageError(`--mode "${mode}" is unknown; it is one of ${MODES.join(', ')}.`);
  if (mode !== undefined && bundle === undefined) throw usageError('--mode needs --bundle, whose tools it limits.');
  if (sandbox !== undefined && !SANDBOXES.includes(sandbox))
    throw usageError(`--sandbox "${sandbox}" is unknown; it is one of ${SANDBOXES.join(', ')}.`);
  if (sandbox !== undefined && bundle !== 'code_agent')
    throw usageError('--sandbox needs --bundle code_agent, whose commands it isolates.');
  const unknown = yes?.split(',').find((effect) => !EFFECTS.includes(effect));
  if (unknown !== undefined)
    throw usageError(`--yes "${unknown}" is not an effect; give ${EFFECTS.join(', ')}, separated by commas.`);
}

export function offlineWarnings(flags: Flags): readonly string[] {
  return MODEL_ONLY.filter((flag) => flags[flag] !== undefined).map(
    (flag) => `--${flag} has no effect: offline uses no model and no server`,
  );
}

/** The raw protocol calls, in the order of the help: one request without the agent. */
const PROTOCOL_NAMES = ['chat', 'vision', 'tools', 'embeddings', 'audio'] as const;

type ProtocolName = (typeof PROTOCOL_NAMES)[number];

function isProtocol(name: string): name is ProtocolName {
  return PROTOCOL_NAMES.some((each) => each === name);
}
