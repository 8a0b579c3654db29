export interface ShellWord {
  /** What the program gets; undefined where only a shell can tell, because of a variable, a substitution or a glob. */
  readonly text: string | undefined;
  /** What every word that it becomes is known to begin with; the whole of a word whose text is known. */
  readonly prefix: string;
  /** The word with its wildcards, where a shell only replaces those by names of files. */
  readonly glob?: string | undefined;
}

export interface Redirection {
  readonly access: 'read' | 'write';
  readonly target: ShellWord;
}

export interface SimpleCommand {
  readonly assignments: readonly ShellWord[];
  readonly words: readonly ShellWord[];
  /** Its redirections to files, in order. Copies of descriptors (`2>&1`) and `/dev/null` are left out. */
  readonly redirections: readonly Redirection[];
  /** Whether its input is not that of the program: the output of another command, a file or a text of the script. */
  isFed: boolean;
}

/** A script as a list of the commands that it can run, those of substitutions included. */
export interface ShellScript {
  readonly commands: readonly SimpleCommand[];
  /** What was not understood, as a phrase such as "a loop"; then `commands` may be incomplete. Absent: they are all. */
  readonly unclear?: string;
}

export function knownWord(text: string): ShellWord {
  return { text, prefix: text };
}
