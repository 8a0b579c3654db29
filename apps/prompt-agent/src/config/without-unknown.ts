import { CONFIG_KEYS } from '@kernel/agent/config';

const TOP_KEYS: ReadonlySet<string> = new Set([...CONFIG_KEYS, 'name', 'session']);

/** The JSON without what its unknown keys hold: that is not read, so what it refers to does not matter. */
export function withoutUnknown(json: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(json).map(([key, value]): [string, unknown] => [key, TOP_KEYS.has(key) ? value : null]),
  );
}
