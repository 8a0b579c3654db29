/** A keyword that a grammar does not represent exactly. */
export interface GrammarWarning {
  /** JSON pointer to the keyword's schema. */
  readonly path: string;
  /** The keyword. */
  readonly keyword: string;
  /** `weaker`: the grammar accepts more than the schema. `stronger`: it accepts less. */
  readonly effect: 'weaker' | 'stronger';
  /** The tool, in a grammar of tools. */
  readonly tool?: string;
}

/** Reports a warning. Equal ones are reported once. */
export type Warn = (path: string, keyword: string, effect: GrammarWarning['effect']) => void;
