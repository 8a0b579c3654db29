/** One difference between two texts of a public surface. */
export interface ApiChange {
  /** The entry point and the export, such as `./web toResponse`. */
  readonly name: string;
  readonly kind: 'removed' | 'changed' | 'added';
}

/** Whether programs that compiled against the old surface may fail against the new one. */
export function isBreaking({ kind }: ApiChange): boolean {
  return kind !== 'added';
}

/**
 * What differs between two texts of `api.txt`. An export whose declaration only gained optional members counts as an addition, as the programs
 * that use it still compile; any other difference of it is a change.
 */
export function apiChanges(before: string, after: string): readonly ApiChange[] {
  const [old, now] = [exportsIn(before), exportsIn(after)];
  const gone = [...old.keys()].filter((name) => !now.has(name));
  const changes: ApiChange[] = gone.map((name) => ({ name, kind: 'removed' }));
  for (const [name, text] of now) {
    const previous = old.get(name);
    if (previous === text) continue;
    changes.push({ name, kind: previous === undefined || onlyGainsOptions(previous, text) ? 'added' : 'changed' });
  }
  return changes;
}

/** The declarations of an `api.txt` by entry point and name. */
function exportsIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const entry of text.split(/^# /m).slice(1)) {
    const [subpath = '', ...declarations] = entry.split(/\n## /);
    for (const declaration of declarations) {
      const end = declaration.indexOf('\n');
      found.set(`${subpath.trim()} ${declaration.slice(0, end)}`, declaration.slice(end).trim());
    }
  }
  return found;
}

/** Whether the new text is the old one with more lines, each an optional member. */
function onlyGainsOptions(before: string, after: string): boolean {
  const old = before.split('\n');
  let at = 0;
  for (const line of after.split('\n')) {
    if (line === old[at]) at += 1;
    else if (!/^\s+(?:readonly )?\w+\?(?:\(.*\))?: .*;$/.test(line)) return false;
  }
  return at === old.length;
}
