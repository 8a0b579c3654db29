/** A relative link or picture in Markdown. Groups: `!`, label, target and anchor. */
const LINK = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)]*)?\)/g;
const CODE = /^(`{3,})[^\n]*\n[\s\S]*?^\1$|`[^`\n]+`/gm;

/** One relative link of a document. */
export interface Link {
  /** Whether it shows a picture. */
  readonly picture: boolean;
  /** Its text. */
  readonly label: string;
  /** Its target as written, without the anchor. */
  readonly target: string;
  /** The anchor with its `#`, or an empty string. */
  readonly anchor: string;
}

/** Returns the relative links of a Markdown text, except in code. */
export function linksOf(text: string): readonly Link[] {
  const links: Link[] = [];
  replaceLinks(text, (link, whole) => {
    links.push(link);
    return whole;
  });
  return links;
}

/** Replaces each relative link outside code with the result of `replace`. */
export function replaceLinks(text: string, replace: (link: Link, whole: string) => string): string {
  const codes: string[] = [];
  const prose = text.replaceAll(CODE, (code) => `\0${codes.push(code) - 1}\0`);
  const withCode = (part: string): string =>
    part.replaceAll(/\0(\d+)\0/g, (_whole, index: string) => codes[Number(index)] ?? '');
  const replaced = prose.replaceAll(
    LINK,
    (whole: string, image: string, label: string, target: string, anchor: string | undefined) =>
      replace({ picture: image === '!', label, target, anchor: anchor ?? '' }, whole),
  );
  return withCode(replaced);
}
