import type { TextPart } from '@kernel/protocol';

/** Makes the part of a message that holds a text from outside, between tags that say where it is from and that the text cannot close. */
export function fragmentPart(tag: string, name: string | undefined, text: string): TextPart {
  let label = tag;
  for (let number = 2; text.includes(`</${label}>`); number += 1) label = `${tag}-${number}`;
  const attribute = name === undefined ? '' : ` name=${JSON.stringify(name)}`;
  return { type: 'text', text: `<${label}${attribute}>\n${text.endsWith('\n') ? text : `${text}\n`}</${label}>` };
}
