/** A packed package.json. */
export interface PackedManifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
}

/** The largest number of run-time dependencies that a package may have besides ours. */
const MAX_DEPENDENCIES = 3;

/** Packages that may have more, and how many: each of theirs has its reason in the ADR that is named. */
const MORE_DEPENDENCIES: Readonly<Record<string, number>> = {
  '@kernel/toolbox': 9, // ADR 0080
};

/** What is wrong with a manifest as it would be published: unresolved ranges, no version, install scripts, too many dependencies. */
export function manifestFaults(manifest: PackedManifest): readonly string[] {
  const { name, version, dependencies = {}, peerDependencies = {}, scripts = {} } = manifest;
  const faults: string[] = [];
  if (!/^\d+\.\d+\.\d+/.test(version)) faults.push(`${name} has the version "${version}".`);
  for (const [dependency, range] of Object.entries({ ...dependencies, ...peerDependencies }))
    if (/^(?:workspace|catalog|file|link):/.test(range)) faults.push(`${name} needs ${dependency} as "${range}".`);
  const foreign = Object.keys(dependencies).filter((each) => !each.startsWith('@kernel/'));
  if (foreign.length > (MORE_DEPENDENCIES[name] ?? MAX_DEPENDENCIES))
    faults.push(`${name} has ${foreign.length} dependencies: ${foreign.join(', ')}.`);
  for (const hook of ['preinstall', 'install', 'postinstall', 'prepare'])
    if (hook in scripts) faults.push(`${name} has an install script: ${hook}.`);
  return faults;
}
