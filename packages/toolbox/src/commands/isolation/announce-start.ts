import { SET_LIMITS } from './limits.ts';
import type { IsolationRequest } from './types.ts';

/**
 * Sets the limits, and finds the program of its first argument as the system does, and never a built-in of the shell.
 * Says what is wrong and ends where there is none: the command has not started then. Variables have names that no environment has, since a shell would pass them on.
 */
const FIND = `${SET_LIMITS}
case "$1" in
  */*) isolated_program=$1 ;;
  *)
    isolated_program='' isolated_rest=\${PATH-}:
    while [ -n "$isolated_rest" ]; do
      isolated_folder=\${isolated_rest%%:*} isolated_rest=\${isolated_rest#*:}
      case "$isolated_folder" in /*) ;; *) continue ;; esac
      if [ -f "$isolated_folder/$1" ] && [ -x "$isolated_folder/$1" ]; then
        isolated_program=$isolated_folder/$1
        break
      fi
    done
    if [ -z "$isolated_program" ]; then printf 'there is no program "%s" on the PATH\\n' "$1" >&2; exit 127; fi
    ;;
esac
if [ ! -e "$isolated_program" ]; then printf 'there is no program "%s"\\n' "$1" >&2; exit 127; fi
if [ -d "$isolated_program" ] || [ ! -x "$isolated_program" ]; then printf '"%s" is not executable\\n' "$1" >&2; exit 126; fi
shift
`;

/** Runs a command as a child, whose exit code it leaves in `code`. What the shell itself says of it, such as "Terminated", is not output of the command. */
const AS_CHILD = `
exec 4>&2 2>/dev/null
(exec "$isolated_program" "$@" 2>&4 3>&- 4>&-)
code=$?
`;

/**
 * Runs its arguments as a command. Descriptor 3, which the command does not inherit, gets an empty line right before the command starts, and when its main process has
 * ended the name of each process that it left running, a line each. See `IsolatedCommand.announcesStart`.
 */
const WATCHED = `${FIND}
echo >&3
${AS_CHILD}
for stat in /proc/[0-9]*/stat; do
  pid=\${stat#/proc/}
  pid=\${pid%/stat}
  if [ "$pid" = 1 ] || [ "$pid" = $$ ]; then continue; fi
  read -r line < "$stat" || continue
  case "\${line##*) }" in Z* | X*) continue ;; esac
  line=\${line#*\\(}
  printf '%s\\n' "\${line%)*}" >&3
done
exit $code
`;

/** Runs the rest of its arguments as a command, right after the first of them was written to its standard error. */
const MARKED = `
isolated_mark=$1
shift
${FIND}
printf '%s\\n' "$isolated_mark" >&2
exec "$isolated_program" "$@"
`;

/** A command that announces its start by its descriptor 3; one in a terminal, which has none, announces nothing. */
export function announceByDescriptor({ command, inTerminal = false }: IsolationRequest): readonly string[] {
  return ['/bin/sh', '-c', inTerminal ? `${FIND}${AS_CHILD}exit $code` : WATCHED, 'sh', ...command];
}

/** A command that announces its start by a line of its standard error, for what passes on no other descriptor. */
export function announceByMarker(mark: string, command: readonly string[]): readonly string[] {
  return ['/bin/sh', '-c', MARKED, 'sh', mark, ...command];
}
