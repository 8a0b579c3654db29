const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Whether `name` is a legal tool name: 1 to 64 characters of `A-Z a-z 0-9 _ -`. `constructor` and `__proto__` are legal too. */
export function isToolName(name: string): boolean {
  return TOOL_NAME.test(name);
}

/**
 * Returns the name that a tool of another toolset or server gets here: `prefix_name` or, if that is not legal or in `taken`, a legal
 * spelling with a hash of the original. Deterministic and one to one.
 */
export function mountedName(prefix: string, name: string, taken: Pick<ReadonlySet<string>, 'has'> = new Set()): string {
  const plain = prefix === '' ? name : `${prefix}_${name}`;
  if (isToolName(plain) && !taken.has(plain)) return plain;
  for (let salt = ''; ; salt += '+') {
    const suffix = `_${stableHash(plain + salt)}`;
    const spelled = `${plain.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64 - suffix.length)}${suffix}`;
    if (!taken.has(spelled)) return spelled;
  }
}

/** Returns eight letters and digits that depend on the whole text: the same on every machine and in every version. */
function stableHash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + (b >>> 13);
  }
  const digits =
    ((a ^ (a >>> 15)) >>> 0).toString(36).padStart(7, '0') + ((b ^ (b >>> 16)) >>> 0).toString(36).padStart(7, '0');
  return digits.slice(0, 4) + digits.slice(7, 11);
}
