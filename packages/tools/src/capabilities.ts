import { node, nodeModule } from '@kernel/internal';
import { checkNumber } from '@kernel/protocol';
import { withTimeout } from './with-timeout.ts';

/** Returns whether a capability is present, or `undefined` if the check does not know the name. */
export type CapabilityCheck = (name: string) => boolean | undefined | Promise<boolean | undefined>;

/** Knows which capabilities are present. A capability is anything that a tool can require by name: a program, an API key, a service. */
export interface Capabilities {
  /** Whether a capability is present. Never rejects: a name that no check knows is missing, and so is one whose check throws. */
  has(name: string): Promise<boolean>;
  /** Returns which of the names are missing, in the given order. */
  missing(names: readonly string[]): Promise<readonly string[]>;
  /** Overrides a capability from now on; `undefined` removes the override. */
  override(name: string, present: boolean | undefined): void;
}

/** How capabilities are checked. */
export interface CapabilityOptions {
  /** Called in order until one knows the name. Default: environment variables, then programs on the PATH. */
  readonly checks?: readonly CapabilityCheck[] | undefined;
  /** How long a result is cached, in milliseconds. Default 60,000. */
  readonly ttlMs?: number | undefined;
  /** How long the checks of one name can take, in milliseconds; after that it counts as missing. `0` or `Infinity` means no limit. Default 5,000. */
  readonly timeoutMs?: number | undefined;
}

const DEFAULT_TTL_MS = 60_000;
const DEFAULT_TIMEOUT_MS = 5_000;

/**
 * Creates the capabilities of a registry. Results are cached, and concurrent requests for one name share one check. Nothing is checked before the first request.
 *
 * @example
 * ```ts
 * import { createCapabilities, customCapabilities, programOnPath } from '@kernel/tools/capabilities';
 * import { createRegistry } from '@kernel/tools';
 *
 * const capabilities = createCapabilities({ checks: [programOnPath(), customCapabilities({ printer: () => false })] });
 * const registry = createRegistry([], { capabilities });
 * ```
 */
export function createCapabilities(options: CapabilityOptions = {}): Capabilities {
  checkNumber('createCapabilities', 'ttlMs', options.ttlMs, 0);
  checkNumber('createCapabilities', 'timeoutMs', options.timeoutMs, 0);
  const checks = options.checks ?? [environmentVariable(), programOnPath()];
  const ttlMs = options.ttlMs ?? DEFAULT_TTL_MS;
  const cache = new Map<string, { readonly present: Promise<boolean>; readonly expiresAt: number }>();
  const overrides = new Map<string, boolean>();

  const check = async (name: string): Promise<boolean> => {
    try {
      for (const knows of checks) {
        // In order: a later check is only called for names that the earlier ones do not know.
        // oxlint-disable-next-line no-await-in-loop
        const present = await knows(name);
        if (present !== undefined) return present;
      }
    } catch {
      return false;
    }
    return false;
  };
  const has = (name: string): Promise<boolean> => {
    const override = overrides.get(name);
    if (override !== undefined) return Promise.resolve(override);
    const cached = cache.get(name);
    if (cached !== undefined && performance.now() < cached.expiresAt) return cached.present;
    const present = withTimeout(check(name), options.timeoutMs ?? DEFAULT_TIMEOUT_MS, false);
    cache.set(name, { present, expiresAt: performance.now() + ttlMs });
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
 * Creates a check for environment variables: names in capitals (`API_KEY`, `HOME`) and `env:NAME`. Present if set and not empty. A single
 * word that is not set can still be a program, and is left to the next check.
 */
export function environmentVariable(): CapabilityCheck {
  return (name) => {
    const variable = name.startsWith('env:') ? name.slice(4) : name;
    if (variable === name && !/^[A-Z][A-Z0-9_]*$/.test(name)) return undefined;
    const isSet = (node.process?.env?.[variable] ?? '') !== '';
    return isSet || name.includes('_') || variable !== name ? isSet : undefined;
  };
}

/** Creates a check for programs: plain names (`git`) and `program:NAME`. Present if the PATH has an executable of that name. */
export function programOnPath(): CapabilityCheck {
  return (name) => {
    const program = name.startsWith('program:') ? name.slice(8) : name;
    if (!/^[A-Za-z0-9._+-]+$/.test(program)) return undefined;
    const path = nodeModule('node:path');
    const { env = {}, platform } = node.process ?? {};
    if (path === undefined) return false;
    const extensions = platform === 'win32' ? (env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';') : [''];
    const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
    return folders.some((folder) =>
      extensions.some((extension) => isExecutable(path.join(folder, program + extension))),
    );
  };
}

/** Creates a check from functions, by capability name. */
export function customCapabilities(
  checks: Readonly<Record<string, () => boolean | Promise<boolean>>>,
): CapabilityCheck {
  const byName = new Map(Object.entries(checks));
  return (name) => byName.get(name)?.();
}

function isExecutable(path: string): boolean {
  const fs = nodeModule('node:fs');
  try {
    fs?.accessSync(path, fs.constants.X_OK);
    return fs?.statSync(path).isFile() === true;
  } catch {
    return false;
  }
}
