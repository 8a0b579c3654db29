import type { Tool, ToolCall } from '@kernel/protocol';

/**
 * A rule, as JSON: `{ "allow": "run_command(git status *)" }`. Tool names come before the parentheses, with `|` between them and `*` for any
 * characters; the pattern of the arguments is inside, see `permissions`. Without parentheses any arguments match.
 */
export type PermissionRule =
  /** The calls that run without approval. */
  | { readonly allow: string }
  /** The calls that need a person's approval. */
  | { readonly ask: string }
  /** The calls that never run. */
  | { readonly deny: string };

/** What the rules say about a call. */
export type PermissionVerdict = 'allow' | 'ask' | 'deny';

/** What was decided on a call, and why. */
export interface PermissionResult {
  /** What the rules say. */
  readonly verdict: PermissionVerdict;
  /** The rule that decided, if one did. */
  readonly rule?: PermissionRule;
  /** Why, in one sentence. */
  readonly reason: string;
  /** The narrowest rule that would allow the call; absent if it is denied or no rule can allow it. */
  readonly suggestion?: PermissionRule;
}

/** A call to decide on: a part of what `approve` of `run()` gets. */
export interface PermissionRequest {
  /** The call. Its `arguments` are those that the handler would get. */
  readonly call: ToolCall;
  /** The tool that it would run. */
  readonly tool: Tool;
  /** The ids of the calls of agents and programs around it, outermost first. */
  readonly path?: readonly string[] | undefined;
  /** Aborts when an answer would come too late. */
  readonly signal: AbortSignal;
}

/** An answer, as `approve` of `run()` gives it. */
export type PermissionAnswer =
  /** Runs the call. */
  | { readonly decision: 'allow'; readonly digest?: string | undefined }
  /** Does not run it. The model reads the reason. */
  | { readonly decision: 'deny'; readonly reason: string }
  /** Runs it with these arguments, JSON text that is validated again. */
  | { readonly decision: 'edit'; readonly arguments: string }
  /** Decides later: the run ends with reason `approval`, and the call is pending. */
  | { readonly decision: 'later' };

/** Asks a person about a call that the rules leave open. */
export type AskPermission = (
  request: PermissionRequest,
  decision: PermissionResult,
) => PermissionAnswer | Promise<PermissionAnswer>;

/** How rules are applied. */
export interface PermissionOptions {
  /** The verdict on a call that no rule matches. Default `ask`. */
  readonly default?: PermissionVerdict | undefined;
  /** Asks a person. Without it, a call that needs a question is denied, and the reason names the rule that would allow it. */
  readonly ask?: AskPermission | undefined;
  /** The absolute path of the folder to which relative paths in rules and arguments refer. Without it, absolute paths in arguments stay absolute. */
  readonly root?: string | undefined;
  /**
   * The paths, addresses and other texts of a tool's arguments that rules are matched against, by the tool's name. Default: what the toolbox's own tools
   * need; for other tools every text at any depth.
   */
  readonly subjects?:
    | Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => readonly string[]>>
    | undefined;
}

/** Rules for calls, one policy for a program. */
export interface Permissions {
  /** Decides on a call by its parsed arguments. Never asks. On a command it looks at links and repositories below `root`. */
  decide(toolName: string, input: Readonly<Record<string, unknown>>): PermissionResult;
  /** Decides on a call, and asks where the rules leave it open. Pass it to `run()` as `approve`. */
  readonly approve: (request: PermissionRequest) => Promise<PermissionAnswer>;
  /**
   * Which files a search leaves out, by their paths: those that a rule denies or asks about, for the tool or for `read_file`. Undefined if no rule does. What
   * a rule asks about is found if it asks about the call as a whole, too, which only runs if that was allowed.
   */
  closedFiles(toolName: string, input: Readonly<Record<string, unknown>>): ((path: string) => boolean) | undefined;
  /** Adds a rule, which applies from now on. Throws `CONFIG_INVALID` for an invalid one. */
  remember(rule: PermissionRule): void;
  /** All rules, including those added with `remember`: JSON that can be saved and passed to `permissions` again. */
  rules(): readonly PermissionRule[];
}
