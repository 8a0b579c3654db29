/**
 * Replaces what VS Code allows in its files beside JSON, comments and a comma before a closing bracket, by as many blanks: a mistake is found at the place where it
 * is in the file. Takes one pass.
 */
export function withoutComments(text: string): string {
  const kept: string[] = [];
  let comma = -1;
  let index = 0;
  const blank = (end: number): void => {
    for (; index < end; index += 1) kept.push(text[index] === '\n' ? '\n' : ' ');
  };
  while (index < text.length) {
    const character = text[index] ?? '';
    const next = text[index + 1];
    if (character === '/' && next === '/') {
      const end = text.indexOf('\n', index);
      blank(end === -1 ? text.length : end);
    } else if (character === '/' && next === '*') {
      const end = text.indexOf('*/', index + 2);
      blank(end === -1 ? text.length : end + 2);
    } else if (character === '"') {
      comma = -1;
      const end = endOfString(text, index);
      kept.push(text.slice(index, end));
      index = end;
    } else {
      if ((character === '}' || character === ']') && comma !== -1) kept[comma] = ' ';
      if (character === ',') comma = kept.length;
      else if (!/\s/.test(character)) comma = -1;
      kept.push(character);
      index += 1;
    }
  }
  return kept.join('');
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return Math.min(text.length, index + 1);
}
