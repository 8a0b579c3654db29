export interface Highlighter {
  getLanguage(name: string): object | undefined;
  /** Returns code as HTML: text, `<span class="hljs-…">` and entities. */
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string };
}
declare const highlighter: Highlighter;
export default highlighter;
