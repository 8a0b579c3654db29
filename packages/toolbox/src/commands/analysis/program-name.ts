export function programName(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  return name.toLowerCase().replace(/\.(?:exe|cmd|bat)$/, '');
}

/** Whether a program is looked for on the PATH, or is in a folder of the system's: another one of that name may do anything. */
export function isOfSystem(path: string): boolean {
  return path === programName(path) || /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/.test(path);
}
