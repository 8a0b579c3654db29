import type { ToolCall } from '@kernel/protocol';
import type { AskPermission } from '@kernel/toolbox/permissions';
import type { Terminals } from '@kernel/toolbox/commands';
import type { EditorFiles } from '@kernel/toolbox/workspace';
import type { ApprovalScope } from './approval/approval-scope.ts';

/** What an editor does in place of the terminal, for one session: it asks the person, and may have files and terminals of its own. */
export interface Editor {
  /** Returns why the current mode denies a call, in spite of any rule or answer; `undefined` if it does not. */
  refusal(call: ToolCall): string | undefined;
  /** Creates the question about a call that may change something. */
  askPermission(scope: ApprovalScope): AskPermission;
  /** Asks a yes-or-no question about lines; undefined if there is no answer. Rejects with the reason of an abort. */
  confirm(lines: readonly string[], question: string, signal: AbortSignal): Promise<boolean | undefined>;
  /** Its files, unsaved changes included; absent if it gives none. */
  readonly files?: EditorFiles | undefined;
  /** Its terminals, in which commands run; absent if it has none. */
  readonly terminals?: Terminals | undefined;
}
