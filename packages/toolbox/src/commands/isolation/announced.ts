/**
 * Runs its arguments as a command. Descriptor 3, which the command does not inherit, gets an empty line right before the command starts, and when its main process has
 * ended the name of each process that it left running, a line each. See `IsolatedCommand.announcesStart`.
 */
const WATCHED = `
echo >&3
"$@" 3>&-
code=$?
for stat in /proc/[0-9]*/stat; do
  pid=\${stat#/proc/}
  pid=\${pid%/stat}
  if [ "$pid" = 1 ] || [ "$pid" = $$ ]; then continue; fi
  { read -r line < "$stat"; } 2>/dev/null || continue
  case "\${line##*) }" in Z* | X*) continue ;; esac
  line=\${line#*\\(}
  printf '%s\\n' "\${line%)*}" >&3
done
exit $code
`;

/** A command that announces its start, and what it leaves running. It has a process namespace of its own. */
export function announced(command: readonly string[]): readonly string[] {
  return ['/bin/sh', '-c', WATCHED, 'sh', ...command];
}
