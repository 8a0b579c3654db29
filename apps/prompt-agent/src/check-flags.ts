import { isProtocol, PROTOCOL_NAMES, type ProtocolName } from './commands/protocols.ts';
import type { Flags } from './flags.ts';
import { usageFault } from './usage-fault.ts';

/** Flags that have an effect only with some protocols; `agent` stands for none given. */
const EFFECT: readonly (readonly [flag: keyof Flags, modes: readonly string[]])[] = [
  ['images', ['vision']],
  ['allow-private-images', ['vision']],
  ['tools-file', ['tools']],
  ['tools', ['agent']],
  ['execute', ['agent']],
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

/** What the flags ask for, once they are known to make sense. */
export interface CheckedFlags {
  readonly protocol: ProtocolName | undefined;
  readonly prompt: string;
  readonly warnings: readonly string[];
}

/** Checks what belongs together. Throws a usage fault of one line that names the flag. */
export function checkFlags(flags: Flags): CheckedFlags {
  const { protocol } = flags;
  if (protocol !== undefined && !isProtocol(protocol)) {
    throw usageFault(`--protocol "${protocol}" is unknown; it is one of ${PROTOCOL_NAMES.join(', ')}.`);
  }
  if (flags.text === undefined && protocol !== 'audio')
    throw usageFault('A prompt is missing: give --prompt TEXT, or the text at the end.');
  if (protocol === 'vision' && (flags.images ?? '') === '') throw usageFault('--protocol vision needs --images LIST.');
  if (protocol === 'tools' && (flags['tools-file'] ?? '') === '')
    throw usageFault('--protocol tools needs --tools-file FILE.');
  if (protocol === 'audio' && (flags.audio ?? '') === '') throw usageFault('--protocol audio needs --audio FILE.');
  if (flags.json === true && flags['json-lines'] === true)
    throw usageFault('--json and --json-lines exclude each other.');
  if (protocol === undefined && (flags.execute === true) !== (flags.tools !== undefined))
    throw usageFault(
      flags.execute === true
        ? '--execute needs --tools, a module or an MCP server whose tools it runs.'
        : '--tools needs --execute, because those tools may change something.',
    );
  const turns = flags['max-turns'];
  if (turns !== undefined && !/^\d{1,6}$/.test(turns))
    throw usageFault(`--max-turns "${turns}" is no whole number from 0.`);
  const iterations = flags['max-iterations'];
  if (iterations !== undefined && !/^(?:-1|\d{1,6})$/.test(iterations))
    throw usageFault(`--max-iterations "${iterations}" is no whole number from -1.`);
  const mode = protocol ?? 'agent';
  const warnings = EFFECT.filter(([flag, modes]) => flags[flag] !== undefined && !modes.includes(mode)).map(
    ([flag]) => `--${flag} has no effect ${protocol === undefined ? 'without' : 'with'} --protocol ${protocol ?? '…'}`,
  );
  return { protocol, prompt: flags.text ?? '', warnings };
}

/** Says which flags have no effect without a model. */
export function offlineWarnings(flags: Flags): readonly string[] {
  return MODEL_ONLY.filter((flag) => flags[flag] !== undefined).map(
    (flag) => `--${flag} has no effect: offline uses no model and no server`,
  );
}
