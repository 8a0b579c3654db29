/** What rules and skills know of a tool of the toolbox. */
interface KnownTool {
  /** The texts that rules are matched against: those of these arguments, or the paths of a patch. Default: all texts of its arguments. */
  readonly subjects?: readonly string[] | 'paths of a patch';
  /** What rules are matched against if the argument is absent. */
  readonly otherwise?: string;
  /** What a skill may put in parentheses after its name; absent for a tool that `allowed-tools` of a skill cannot name. */
  readonly takes?: 'command' | 'path' | 'domain' | 'none';
  /** What it is called in Claude Code, in which most skills are written. */
  readonly aliases?: readonly string[];
}

/** The tools of the toolbox by their names. One that takes a path alone needs no entry, unless skills may name it. */
export const KNOWN_TOOLS: Readonly<Record<string, KnownTool>> = {
  run_command: { takes: 'command', aliases: ['Bash'] },
  read_file: { subjects: ['path'], takes: 'path', aliases: ['Read'] },
  write_file: { subjects: ['path'], takes: 'path', aliases: ['Write'] },
  edit_file: { subjects: ['path'], takes: 'path', aliases: ['Edit', 'MultiEdit'] },
  delete: { subjects: ['path'] },
  move: { subjects: ['from', 'to'] },
  list_directory: { subjects: ['path'], otherwise: '.', takes: 'path', aliases: ['LS'] },
  glob: { subjects: ['path'], otherwise: '.', takes: 'path', aliases: ['Glob'] },
  search_text: { subjects: ['path'], otherwise: '.', takes: 'path', aliases: ['Grep'] },
  apply_patch: { subjects: 'paths of a patch' },
  fetch_url: { subjects: ['url'], takes: 'domain', aliases: ['WebFetch'] },
  web_search: { subjects: ['query'], takes: 'none', aliases: ['WebSearch'] },
  memory: { subjects: ['path', 'old_path', 'new_path'] },
  remember: { subjects: [] },
  recall: { subjects: [] },
  forget: { subjects: ['id'] },
  skill: { subjects: ['name'] },
};
