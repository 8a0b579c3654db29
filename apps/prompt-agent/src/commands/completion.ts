import type { CommandCall } from '../command-call.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { COMMAND_NAMES, type CommandName, commandSpec } from '../options/commands.ts';
import { FLAG_NAMES, specOf } from '../options/flags.ts';
import { advertised } from '../options/help.ts';

const SHELLS: ReadonlyMap<string, () => string> = new Map([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
]);

/** Prints a script that completes commands, flags and the names of files for a shell. Made from the tables of commands and flags. */
export function completion({ words, output }: CommandCall): Promise<number> {
  const [shell = ''] = words;
  const script = SHELLS.get(shell);
  if (script === undefined)
    throw usageError(
      `completion needs one of ${[...SHELLS.keys()].join(', ')}${shell === '' ? '' : `, not "${shell}"`}.`,
    );
  output.write(script());
  return Promise.resolve(EXIT.answer);
}

function tree(): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const name of COMMAND_NAMES) {
    const [first = '', second] = name.split(' ');
    const rest = groups.get(first) ?? [];
    if (second !== undefined) rest.push(second);
    groups.set(first, rest);
  }
  return groups;
}

function flagsOf(name: CommandName): string {
  return advertised(commandSpec(name).flags)
    .map((flag) => `--${flag}`)
    .join(' ');
}

function bash(): string {
  return `# bash completion of prompt-agent: source <(prompt-agent completion bash)
_prompt_agent() {
  local current=\${COMP_WORDS[COMP_CWORD]} name=ask index word
  local -a named=()
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    [[ $word == -* ]] || named+=("$word")
  done
${bodyOf(0, (words) => `COMPREPLY+=($(compgen -W '${words}' -- "$current"))`, 'COMPREPLY+=($(compgen -f -- "$current"))')}
}
complete -o filenames -F _prompt_agent prompt-agent
`;
}

/** In zsh's own terms: its emulation of bash's completion counts arrays from 1, and completes nothing the first time. */
function zsh(): string {
  return `#compdef prompt-agent
# zsh completion of prompt-agent: prompt-agent completion zsh > a folder of $fpath, as _prompt-agent; or source <(prompt-agent completion zsh)
_prompt_agent() {
  local current=\${words[CURRENT]} name=ask word
  local -a named
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] || named+=("$word")
  done
${bodyOf(1, (words) => `compadd -- ${words}`, '_files')}
}
if [[ \${funcstack[1]} == _prompt-agent ]]; then _prompt_agent "$@"; else compdef _prompt_agent prompt-agent; fi
`;
}

/** What both shells do with the words that are no flags: arrays begin at `first`. */
function bodyOf(first: number, offer: (words: string) => string, files: string): string {
  const groups = [...tree()];
  const pairs = COMMAND_NAMES.filter((name) => name.includes(' '));
  const words = COMMAND_NAMES.filter((name) => !pairs.includes(name));
  return `  case "\${named[${first}]} \${named[${first + 1}]}" in
${cases(pairs.map((name) => `'${name}') name='${name}'`))}
      *) case "\${named[${first}]}" in ${words.join('|')}) name=\${named[${first}]} ;; esac ;;
  esac
  if [[ $current == -* ]]; then
    case $name in
${cases(COMMAND_NAMES.map((name) => `'${name}') ${offer(flagsOf(name))}`))}
    esac
    return
  fi
  if ((\${#named[@]} == 0)); then
    ${offer(groups.map(([group]) => group).join(' '))}
    ${files}
    return
  fi
  if ((\${#named[@]} == 1)); then
    case \${named[${first}]} in
${cases(groups.flatMap(([group, rest]) => (rest.length === 0 ? [] : [`${group}) ${offer(rest.join(' '))}; return`])))}
    esac
  fi
  ${files}`;
}

function cases(lines: readonly string[]): string {
  return lines.map((line) => `      ${line} ;;`).join('\n');
}

function fish(): string {
  const lines = [...tree()].flatMap(([first, rest]) => {
    const name = COMMAND_NAMES.find((each) => each === first || each.startsWith(`${first} `));
    const summary = name === undefined ? '' : quoted(commandSpec(name).summary);
    return [
      `complete -c prompt-agent -n __fish_use_subcommand -a ${first} -d ${summary}`,
      ...rest.map((second) => `complete -c prompt-agent -n '__fish_seen_subcommand_from ${first}' -a ${second}`),
    ];
  });
  const flags = FLAG_NAMES.map((name) => {
    const { short, value, help } = specOf(name);
    const letter = short === undefined ? '' : ` -s ${short}`;
    return `complete -c prompt-agent -l ${name}${letter}${value === undefined ? '' : ' -r'} -d ${quoted(help)}`;
  });
  return `# fish completion of prompt-agent: prompt-agent completion fish | source\n${[...lines, ...flags].join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
