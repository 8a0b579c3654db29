/**
 * Where a control token of a chat template begins: `<|…|>` and `<｜…｜>`, tags of calls and results, `[TOOL_RESULTS]`, `[SYSTEM_PROMPT]`, `<think>`, `<<SYS>>`, ends of turns. The
 * token of any format counts in every format, since servers map them to the same special tokens.
 */
const TOKEN_START =
  /[<[](?=[|｜]|\/?[ \t]{0,8}(?:tool_|tool▁|available_tools|system_?prompt|think[>\]]|sys>|function[=>]|parameter[=>]|inst\]|s>|bos>|eos>|im_|(?:start|end)_of_))/gi;

/** Tool output as text that cannot end its envelope: a backslash splits each control token, as in `<\/tool_response>`. */
export function plainResult(text: string): string {
  return text.replaceAll(TOKEN_START, (first) => `${first}\\`);
}

/** A value as JSON that contains no control token: the first character of each is escaped, so that the decoded text is unchanged. */
export function jsonResult(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(TOKEN_START, (first) =>
    first === '<' ? String.raw`\u003c` : String.raw`\u005b`,
  );
}

/** Tool output in a code fence; a backslash splits each run of three backticks in it. */
export function fencedResult(info: string, text: string): string {
  return `\`\`\`${info}\n${plainResult(text).replaceAll(/`(?=``)/g, '`\\')}\n\`\`\``;
}
