import { within } from './with-timeout.ts';

/** Says whether a capability is there; `undefined` means that this check does not know the name. */
export type CapabilityCheck = (name: string) => boolean | undefined | Promise<boolean | undefined>;

/** Answers which capabilities are missing. */
export interface Capabilities {
  /** Whether a capability is there. Never rejects: unknown to every check, or a check that throws, counts as missing. */
  has(name: string): Promise<boolean>;
  /** The missing ones of some names, in their order. */
  missing(names: readonly string[]): Promise<readonly string[]>;
  /** Decides a capability from outside, at once; `undefined` gives the decision back to the checks. */
  override(name: string, present: boolean | undefined): void;
}

/** How capabilities are asked for. */
export interface CapabilityOptions {
  /** Asked in order until one knows the name. Default: environment variables, then programs on the PATH. */
  readonly checks?: readonly CapabilityCheck[] | undefined;
  /** How long an answer is kept. Default 60,000. */
  readonly ttlMs?: number | undefined;
  /** How long the checks of one name may take; after that it counts as missing. Default 5,000. */
  readonly timeoutMs?: number | undefined;
}

const TTL_MS = 60_000;
const TIMEOUT_MS = 5_000;

/** Creates a capability checker. Answers are cached; asks at the same time share one check. Nothing is looked up before the first ask. */
export function createCapabilities(options: CapabilityOptions = {}): Capabilities {
  const checks = options.checks ?? [environmentVariable(), programOnPath()];
  const ttlMs = options.ttlMs ?? TTL_MS;
  const answers = new Map<string, { readonly present: Promise<boolean>; readonly until: number }>();
  const overrides = new Map<string, boolean>();

  const ask = async (name: string): Promise<boolean> => {
    try {
      for (const check of checks) {
        // One after the other on purpose: a later check is only asked for what the earlier ones don't know.
        // oxlint-disable-next-line no-await-in-loop
        const present = await check(name);
        if (present !== undefined) return present;
      }
    } catch {
      return false;
    }
    return false;
  };
  const has = (name: string): Promise<boolean> => {
    const decided = overrides.get(name);
    if (decided !== undefined) return Promise.resolve(decided);
    const known = answers.get(name);
    if (known !== undefined && performance.now() < known.until) return known.present;
    const present = within(ask(name), options.timeoutMs ?? TIMEOUT_MS, false);
    answers.set(name, { present, until: performance.now() + ttlMs });
    return present;
  };

  return {
    has,
    async missing(names) {
      const present = await Promise.all(names.map((name) => has(name)));
      return names.filter((_, index) => present[index] !== true);
    },
    override(name, present) {
      if (present === undefined) overrides.delete(name);
      else overrides.set(name, present);
    },
  };
}

/**
 * Knows names in capitals (`API_KEY`, `HOME`) and `env:NAME`: there when the variable is set and not empty. A single word that is not set
 * may be a program, and is left to the next check.
 */
export function environmentVariable(): CapabilityCheck {
  return (name) => {
    const variable = name.startsWith('env:') ? name.slice(4) : name;
    if (variable === name && !/^[A-Z][A-Z0-9_]*$/.test(name)) return undefined;
    const isSet = (process.env[variable] ?? '') !== '';
    return isSet || name.includes('_') || variable !== name ? isSet : undefined;
  };
}

/** Knows plain names (`git`) and `program:NAME`: there when the PATH has an executable of that name. Answers nothing about other names. */
export function programOnPath(): CapabilityCheck {
  return (name) => {
    const program = name.startsWith('program:') ? name.slice(8) : name;
    if (!/^[A-Za-z0-9._+-]+$/.test(program)) return undefined;
    const path = process.getBuiltinModule('node:path');
    const extensions = process.platform === 'win32' ? (process.env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';') : [''];
    const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
    return folders.some((folder) =>
      extensions.some((extension) => isExecutable(path.join(folder, program + extension))),
    );
  };
}

/** A check of the caller's own for some names. */
export function customCapabilities(
  checks: Readonly<Record<string, () => boolean | Promise<boolean>>>,
): CapabilityCheck {
  const known = new Map(Object.entries(checks));
  return (name) => known.get(name)?.();
}

function isExecutable(path: string): boolean {
  const { accessSync, constants, statSync } = process.getBuiltinModule('node:fs');
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
