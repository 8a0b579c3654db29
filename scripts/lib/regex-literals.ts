/** A regular expression that a source file writes as a literal. */
export interface RegexLiteral {
  /** What stands between the slashes. */
  readonly source: string;
  /** What follows the second slash. */
  readonly flags: string;
  /** The line, from 1. */
  readonly line: number;
}

const LITERAL = /\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/y;
const WORD = /[\w$]+/y;
/** Words after which an expression begins, and so a slash begins a literal. */
const BEFORE_EXPRESSION = new Set(['return', 'typeof', 'case', 'in', 'of', 'void', 'yield', 'await', 'else', 'do']);

/** The regular expression literals of a TypeScript module, in order. Comments, strings and the text of templates are skipped. */
export function regexLiterals(text: string): readonly RegexLiteral[] {
  const found: RegexLiteral[] = [];
  /** For each template that is open: how many braces are open inside its `${`. */
  const templates: number[] = [];
  let isOperand = false; // whether the token before ends an expression, so that a slash divides
  let at = text.startsWith('#!') ? text.indexOf('\n') : 0;

  function template(): void {
    for (; at < text.length; at += 1) {
      if (text[at] === '\\') at += 1;
      else if (text[at] === '`') {
        at += 1;
        isOperand = true;
        return;
      } else if (text.startsWith('${', at)) {
        at += 2;
        templates.push(0);
        isOperand = false;
        return;
      }
    }
  }

  while (at < text.length) {
    const char = text.charAt(at);
    if (text.startsWith('//', at)) at = endOf(text, '\n', at);
    else if (text.startsWith('/*', at)) at = endOf(text, '*/', at);
    else if (char === "'" || char === '"') {
      at = endOfString(text, at);
      isOperand = true;
    } else if (char === '`') {
      at += 1;
      template();
    } else if (char === '/' && !isOperand) {
      LITERAL.lastIndex = at;
      const [whole = '/', source = '', flags = ''] = LITERAL.exec(text) ?? [];
      if (source !== '') found.push({ source, flags, line: text.slice(0, at).split('\n').length });
      at += whole.length;
      isOperand = source !== '';
    } else if (/[\w$]/.test(char)) {
      WORD.lastIndex = at;
      const word = WORD.exec(text)?.[0] ?? char;
      isOperand = !BEFORE_EXPRESSION.has(word);
      at += word.length;
    } else {
      const open = templates.at(-1);
      at += 1;
      if (open !== undefined && char === '{') templates[templates.length - 1] = open + 1;
      else if (open === 0 && char === '}') {
        templates.pop();
        template();
        continue;
      } else if (open !== undefined && char === '}') templates[templates.length - 1] = open - 1;
      if (!/\s/.test(char)) isOperand = char === ')' || char === ']' || char === '}';
    }
  }
  return found;
}

/** The index after the next `mark`. */
function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from + 2);
  return at === -1 ? text.length : at + mark.length;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== text[from] && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
