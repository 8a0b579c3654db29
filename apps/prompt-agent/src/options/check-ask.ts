import { isProtocol, PROTOCOL_NAMES, type ProtocolName } from '../protocols/names.ts';
import { TOOLS } from './flag-groups.ts';
import type { Flags } from './flags.ts';
import { checkLimits } from './run-limits.ts';
import { EFFECT_NAMES } from '../bundle/rules.ts';
import { SANDBOXES } from '../bundle/isolation-for.ts';
import { usageError } from '../usage-error.ts';

/** Flags that have an effect only with some protocols; `agent` stands for no protocol. */
const EFFECT: readonly (readonly [flag: keyof Flags, modes: readonly string[]])[] = [
  ['images', ['agent', 'vision']],
  ['allow-private-images', ['agent', 'vision']],
  ['tools-file', ['tools']],
  ...TOOLS.map((flag) => [flag, ['agent']] as const),
  ['audio', ['audio']],
  ['stream', ['agent', 'chat', 'vision', 'tools']],
  ['file', ['agent', 'chat', 'vision', 'tools', 'embeddings']],
  ['attach', ['agent']],
  ['schema', ['agent']],
  ['extract', ['agent']],
  ['system-prompt', ['agent', 'chat', 'vision', 'tools']],
  ['max-cost', ['agent']],
  ['max-time', ['agent']],
  ['price', ['agent']],
  ['log', ['agent']],
  ['verbose', ['agent']],
  ['continue', ['agent']],
  ['session', ['agent']],
  ['no-session', ['agent']],
];

const BUNDLES: readonly string[] = ['code_agent', 'blog_agent'];
const MODES: readonly string[] = ['read-only', 'plan', 'act'];
const MODEL_ONLY = ['model', 'images', 'attach', 'base-url', 'token', 'system-prompt', 'memory'] as const;

/** What the flags ask for, once they are known to be consistent. */
export interface CheckedAsk {
  /** The raw protocol, if there is one. */
  readonly protocol: ProtocolName | undefined;
  /** Flags that have no effect. */
  readonly warnings: readonly string[];
}

/** Checks that the flags of `ask` are consistent. Throws a usage error of one line that names the flag. */
export function checkAsk(flags: Flags): CheckedAsk {
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
  const warnings = EFFECT.filter(([flag, modes]) => flags[flag] !== undefined && !modes.includes(mode)).map(
    ([flag]) => `--${flag} has no effect ${protocol === undefined ? 'without' : 'with'} --protocol ${protocol ?? '…'}`,
  );
  return { protocol, warnings };
}

/** Checks the flags that choose tools and what they may do. Throws a usage error of one line that names the flag. */
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

/** Checks the journal flags. Throws a usage error that names them. */
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
  const unknown = yes?.split(',').find((effect) => !EFFECT_NAMES.includes(effect));
  if (unknown !== undefined)
    throw usageError(`--yes "${unknown}" is not an effect; give ${EFFECT_NAMES.join(', ')}, separated by commas.`);
}

/** Returns a warning for each flag that has no effect without a model. */
export function offlineWarnings(flags: Flags): readonly string[] {
  return MODEL_ONLY.filter((flag) => flags[flag] !== undefined).map(
    (flag) => `--${flag} has no effect: offline uses no model and no server`,
  );
}
