/** A word of a command, as far as it is known without running a shell. */
export interface ShellWord {
  /** What the program gets; undefined where only a shell can tell, because of a variable, a substitution or a glob. */
  readonly text: string | undefined;
  /** What every word that it becomes is known to begin with; the whole of a word whose text is known. */
  readonly prefix: string;
  /** The word with its wildcards, where a shell only replaces those by names of files. */
  readonly glob?: string | undefined;
}

/** Where a command reads from or writes to besides its arguments. */
export interface Redirection {
  /** Whether the target is read or written. */
  readonly access: 'read' | 'write';
  /** The file. */
  readonly target: ShellWord;
}

/** One program with its arguments. */
export interface SimpleCommand {
  /** The variables that are set for it: `NAME=value`. */
  readonly assignments: readonly ShellWord[];
  /** The program and its arguments; empty where only variables are set or files opened. */
  readonly words: readonly ShellWord[];
  /** Its redirections to files, in order. Copies of descriptors (`2>&1`) and `/dev/null` are left out. */
  readonly redirections: readonly Redirection[];
}

/** A script as a list of the commands that it can run, those of substitutions included. */
export interface ShellScript {
  /** Every command that is understood. */
  readonly commands: readonly SimpleCommand[];
  /** What was not understood, as a phrase such as "a loop"; then `commands` may be incomplete. Absent: they are all. */
  readonly unclear?: string;
}

/** A word that is known. */
export function knownWord(text: string): ShellWord {
  return { text, prefix: text };
}
