/** What an `api.txt` keeps of a comment that deprecates an export or a member: the release that announced it. */
const DEPRECATION = /\/\*\* @deprecated since (\d+\.\d+\.\d+) \*\//;

/** Removes the comments of a declaration but for what they say of its deprecation. */
export function keepDeprecations(declaration: string): string {
  return declaration
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, (comment) => {
      const since = /@deprecated since (\d+\.\d+\.\d+)/.exec(comment)?.[1];
      return since === undefined ? '' : `/** @deprecated since ${since} */`;
    })
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n');
}

/** A deprecation in an `api.txt`. */
export interface Deprecation {
  /** The entry point, the export and, of a member, its line. */
  readonly name: string;
  readonly since: string;
}

/** The deprecations in an `api.txt`. */
export function deprecationsIn(text: string): readonly Deprecation[] {
  return [...exportsIn(text)].flatMap(([name, declaration]) => {
    const lines = declaration.split('\n');
    return lines.flatMap((line, at): readonly Deprecation[] => {
      const since = DEPRECATION.exec(line)?.[1];
      return since === undefined ? [] : [{ name: at === 0 ? name : `${name} ${lines[at + 1]?.trim()}`, since }];
    });
  });
}

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
 * What differs between two texts of `api.txt`. An export whose declaration only gained optional members or deprecations counts as an addition, as the programs
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

/** Whether the new text is the old one with more lines, each an optional member, and other deprecations. */
function onlyGainsOptions(before: string, after: string): boolean {
  const old = withoutDeprecations(before);
  let at = 0;
  for (const line of withoutDeprecations(after)) {
    if (line === old[at]) at += 1;
    else if (!/^\s+(?:readonly )?\w+\?(?:\(.*\))?: .*;$/.test(line)) return false;
  }
  return at === old.length;
}

function withoutDeprecations(text: string): readonly string[] {
  return text.split('\n').filter((line) => !DEPRECATION.test(line));
}
