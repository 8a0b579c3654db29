import { usageError } from '../exit-code.ts';
import { LIMITS, RUN, SESSION, TOOLS } from './agent-flags.ts';
import { AGENT, type Mode, TEXT } from './flag-spec.ts';
import { FLAG_NAMES, type FlagName, type Flags, specOf } from './flags.ts';

const ALL: readonly Mode[] = [...TEXT, 'embeddings', 'audio'];

/** What a raw call cannot do without. */
const NEEDED = { vision: 'images', tools: 'tools-file', audio: 'audio' } as const;

/** Checks that the flags of `ask` are consistent, and returns the raw protocol and warnings about flags that do nothing. Throws a usage error of one line that names the flag. */
export function checkAsk(flags: Flags) {
  const { protocol } = flags;
  checkSession(flags);
  checkDurable(flags);
  const needed = protocol === 'vision' || protocol === 'tools' || protocol === 'audio' ? NEEDED[protocol] : undefined;
  if (needed !== undefined && (flags[needed] ?? '') === '')
    throw usageError(`--protocol ${protocol} needs --${needed} ${specOf(needed).value ?? ''}.`);
  if (flags.json === true && flags['json-lines'] === true)
    throw usageError('--json and --json-lines exclude each other.');
  if (protocol === undefined) checkTools(flags);
  else checkBundle(flags);
  if (flags.role !== undefined && flags['system-prompt'] !== undefined)
    throw usageError('--role and --system-prompt exclude each other: a role is a system prompt.');
  if (flags.var !== undefined && flags.template === undefined) throw usageError('--var needs -t, a template.');
  if (flags.replay !== undefined && flags.record !== undefined)
    throw usageError('--record and --replay exclude each other.');
  const mode = protocol ?? 'agent';
  const warnings = FLAG_NAMES.filter((flag) => flags[flag] !== undefined && !modesOf(flag).includes(mode)).map(
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

function modesOf(flag: FlagName): readonly Mode[] {
  const isOfAgent = [SESSION, TOOLS, RUN, LIMITS].some((group) => Object.hasOwn(group, flag));
  return specOf(flag).modes ?? (isOfAgent ? AGENT : ALL);
}

/** Checks that only one of the flags says which session it is. Throws a usage error that names them. */
export function checkSession({ continue: isContinued, session, 'no-session': isOff }: Flags): void {
  const given = [
    ...(isContinued === true ? ['--continue'] : []),
    ...(session === undefined ? [] : ['--session']),
    ...(isOff === true ? ['--no-session'] : []),
  ];
  if (given.length > 1) throw usageError(`${given.join(' and ')} exclude each other.`);
}

function checkDurable({ durable, journal, protocol, 'no-session': isOff }: Flags): void {
  if (durable === true && isOff === true) throw usageError('--durable and --no-session exclude each other.');
  if (durable === true && protocol !== undefined)
    throw usageError('--durable and --protocol exclude each other: a raw call has no steps.');
  if (journal !== undefined && durable !== true) throw usageError('--journal needs --durable.');
}

function checkBundle({ bundle, mode, sandbox }: Flags): void {
  if (mode !== undefined && bundle === undefined) throw usageError('--mode needs --bundle, whose tools it limits.');
  if (sandbox !== undefined && bundle !== 'code_agent')
    throw usageError('--sandbox needs --bundle code_agent, whose commands it isolates.');
}

export function offlineWarnings(flags: Flags): readonly string[] {
  return FLAG_NAMES.filter((flag) => specOf(flag).needsModel === true && flags[flag] !== undefined).map(
    (flag) => `--${flag} has no effect: offline uses no model and no server`,
  );
}
