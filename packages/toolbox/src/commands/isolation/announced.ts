/** Descriptor 3 gets one byte right before the program becomes the command, which does not inherit it. See `IsolatedCommand.announcesStart`. */
export const ANNOUNCE = 'printf . >&3; exec 3>&-';

/** A command that announces its start. */
export function announced(command: readonly string[]): readonly string[] {
  return ['/bin/sh', '-c', `${ANNOUNCE}; exec "$@"`, 'sh', ...command];
}
