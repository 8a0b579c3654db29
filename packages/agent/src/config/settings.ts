/** A setting of a config file, or a block of settings. */
export interface Setting {
  /** Its key in a file. */
  readonly key: string;
  /** What it is in a file. A duration is in milliseconds as a field. */
  readonly is: 'text' | 'true or false' | 'duration' | 'whole from 0' | 'whole from 1' | 'number from 1' | SettingTable;
  /** Of a setting that is absent; a block without one is absent, too. */
  readonly default?: boolean | number | string | object;
}

/** Settings by the fields that they become. The schema of a block, its defaults, its paths and its JSON are derived from it. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** The settings of all fields of a type, each with a default that is not optional there. */
export type Settings<T> = SettingTable & {
  readonly [K in keyof T]-?: Setting & (undefined extends T[K] ? object : { readonly default: T[K] });
};

/** Returns the block of a file without any setting. */
export function defaultsOf<T>(settings: Settings<T>): T {
  const entries = Object.entries(settings).filter(([, setting]) => setting.default !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field that is not optional has a default
  return Object.fromEntries(entries.map(([field, setting]) => [field, setting.default])) as T;
}

/** Returns the paths of all settings and blocks in a file. */
export function pathsOf(settings: SettingTable, block = ''): readonly string[] {
  return Object.values(settings).flatMap(({ key, is }) => [
    `${block}${key}`,
    ...(typeof is === 'object' ? pathsOf(is, `${block}${key}.`) : []),
  ]);
}
