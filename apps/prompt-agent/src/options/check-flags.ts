import { isProtocol, PROTOCOL_NAMES, type ProtocolName } from '../commands/protocols.ts';
import type { Flags } from './flags.ts';
import { usageError } from '../usage-error.ts';

/** Flags that have an effect only with some protocols; `agent` stands for no protocol. */
const EFFECT: readonly (readonly [flag: keyof Flags, modes: readonly string[]])[] = [
  ['images', ['vision']],
  ['allow-private-images', ['vision']],
  ['tools-file', ['tools']],
  ['tools', ['agent']],
  ['execute', ['agent']],
  ['trust-hints', ['agent']],
  ['audio', ['audio']],
  ['stream', ['agent', 'chat', 'vision', 'tools']],
  ['system-prompt', ['agent', 'chat', 'vision', 'tools']],
  ['workspace', ['agent']],
  ['max-turns', ['agent']],
  ['max-iterations', ['agent']],
  ['memory', ['agent']],
  ['log', ['agent']],
  ['verbose', ['agent']],
];

const MODEL_ONLY = ['model', 'base-url', 'token', 'system-prompt', 'memory'] as const;

/** What the flags ask for, once they are known to be consistent. */
export interface CheckedFlags {
  /** The raw protocol, if there is one. */
  readonly protocol: ProtocolName | undefined;
  /** The prompt; may be empty for audio. */
  readonly prompt: string;
  /** Flags that have no effect. */
  readonly warnings: readonly string[];
}

/** Checks that the flags are consistent. Throws a usage error of one line that names the flag. */
export function checkFlags(flags: Flags): CheckedFlags {
  const { protocol } = flags;
  if (protocol !== undefined && !isProtocol(protocol)) {
    throw usageError(`--protocol "${protocol}" is unknown; it is one of ${PROTOCOL_NAMES.join(', ')}.`);
  }
  if (flags.text === undefined && protocol !== 'audio')
    throw usageError('A prompt is missing: give --prompt TEXT, or the text at the end.');
  if (protocol === 'vision' && (flags.images ?? '') === '') throw usageError('--protocol vision needs --images LIST.');
  if (protocol === 'tools' && (flags['tools-file'] ?? '') === '')
    throw usageError('--protocol tools needs --tools-file FILE.');
  if (protocol === 'audio' && (flags.audio ?? '') === '') throw usageError('--protocol audio needs --audio FILE.');
  if (flags.json === true && flags['json-lines'] === true)
    throw usageError('--json and --json-lines exclude each other.');
  if (protocol === undefined && (flags.execute === true) !== (flags.tools !== undefined))
    throw usageError(
      flags.execute === true
        ? '--execute needs --tools, a module or an MCP server whose tools it runs.'
        : '--tools needs --execute, because those tools may change something.',
    );
  const turns = flags['max-turns'];
  if (turns !== undefined && !/^\d{1,6}$/.test(turns))
    throw usageError(`--max-turns "${turns}" must be a whole number, or 0 for no limit.`);
  const iterations = flags['max-iterations'];
  if (iterations !== undefined && !/^(?:-1|\d{1,6})$/.test(iterations))
    throw usageError(`--max-iterations "${iterations}" must be -1 or a whole number.`);
  const mode = protocol ?? 'agent';
  const warnings = EFFECT.filter(([flag, modes]) => flags[flag] !== undefined && !modes.includes(mode)).map(
    ([flag]) => `--${flag} has no effect ${protocol === undefined ? 'without' : 'with'} --protocol ${protocol ?? '…'}`,
  );
  return { protocol, prompt: flags.text ?? '', warnings };
}

/** Returns a warning for each flag that has no effect without a model. */
export function offlineWarnings(flags: Flags): readonly string[] {
  return MODEL_ONLY.filter((flag) => flags[flag] !== undefined).map(
    (flag) => `--${flag} has no effect: offline uses no model and no server`,
  );
}
