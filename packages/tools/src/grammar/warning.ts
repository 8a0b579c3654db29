/** A keyword that a grammar does not hold exactly. */
export interface GrammarWarning {
  /** JSON pointer to the keyword's schema. */
  readonly path: string;
  readonly keyword: string;
  /** `weaker`: the grammar accepts more than the schema. `stronger`: less. */
  readonly effect: 'weaker' | 'stronger';
  /** The tool concerned, in a grammar of tools. */
  readonly tool?: string;
}

/** Notes a warning; each once. */
export type Warn = (path: string, keyword: string, effect: GrammarWarning['effect']) => void;
