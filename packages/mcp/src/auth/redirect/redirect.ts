/** Takes a person to an authorization server and back. */
export interface Redirect {
  /** Gets ready for one answer. */
  open(signal: AbortSignal): Promise<OpenRedirect>;
}

/** One way back, for one answer. */
export interface OpenRedirect {
  /** The redirect URI: where the authorization server sends the person's browser. */
  readonly url: string;
  /**
   * Has the person open `url`, and resolves with the answer that has this `state`. `isExpected` tells whether an answer is from the issuer that was asked: a person
   * who got another one is not shown that they have signed in.
   */
  ask(url: URL, state: string, isExpected?: (answer: RedirectAnswer) => boolean): Promise<RedirectAnswer>;
  /** Ends the way back. May be called twice. */
  close(): Promise<void>;
}

/** What an authorization server answers. None of it can be trusted before `iss` was checked. */
export interface RedirectAnswer {
  /** The authorization code. */
  readonly code?: string | undefined;
  /** Why there is none, in a word such as `access_denied`. */
  readonly error?: string | undefined;
  /** The issuer that answers. */
  readonly iss?: string | undefined;
}
