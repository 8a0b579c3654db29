import { errorMessage, visibleLine } from '@kernel/internal';
import { duplicateKeys } from '@kernel/protocol';
import type { PermissionAnswer } from '@kernel/toolbox/permissions';
import { withCachedEditorReads } from '@kernel/toolbox/workspace';
import type {
  PermissionOption,
  RequestPermissionRequest,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable';
import { readAgentPatch } from '../../approval/agent-requests.ts';
import { addRule, denial, offeredRule } from '../../approval/ask-user.ts';
import { showCall, withOrigin } from '../../questions/show-call.ts';
import { describeCall, rawInputOf, toTitle } from '../view/describe-call.ts';
import type { Editor } from '../../editor.ts';
import { editorFiles } from './editor-files.ts';
import type { EditorContext } from './editor-connection.ts';
import { editorTerminals } from './editor-terminals.ts';
import { type FileChanges, locationsOf } from '../view/file-changes.ts';
import { codeBlock, textContent } from '../view/text-content.ts';
import { callIdOf, diffsOf } from '../view/tool-calls.ts';

const NO_EDITOR_ANSWER = 'The editor gave no answer to the question.';

/** Creates the editor of a session: its questions, and its files and terminals where it has some. */
export function createEditor(session: EditorContext): Editor {
  const { capabilities, output } = session;
  let questions = 0;

  /** Asks, and resolves to the answer; undefined if the editor was told to cancel, or answers with something that was not offered. */
  const ask = async (
    toolCall: ToolCallUpdate,
    options: readonly PermissionOption[],
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    signal.throwIfAborted();
    const params: RequestPermissionRequest = { sessionId: session.sessionId, toolCall, options: [...options] };
    const answer = await session.client
      .request('session/request_permission', params, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      })
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw error;
      });
    signal.throwIfAborted();
    const { outcome } = answer;
    if (outcome.outcome !== 'selected') return undefined;
    return options.find(({ optionId }) => optionId === outcome.optionId)?.optionId;
  };

  const reason = async (toolCallId: string, signal: AbortSignal): Promise<string> => {
    const answer = await session.client.request(
      'elicitation/create',
      {
        mode: 'form',
        sessionId: session.sessionId,
        toolCallId,
        message: 'Why not? The model reads your answer.',
        requestedSchema: {
          type: 'object',
          properties: { reason: { type: 'string', title: 'Reason', maxLength: 2000 } },
          required: ['reason'],
        },
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    const content = answer.action === 'accept' && 'content' in answer ? answer.content : undefined;
    const given = content instanceof Object && 'reason' in content ? content.reason : undefined;
    return typeof given === 'string' ? given.trim() : '';
  };

  return {
    refusal: session.refusal,
    askPermission:
      (scope) =>
      async (request, decision): Promise<PermissionAnswer> => {
        const { call, signal } = request;
        const digest = 'digest' in request && typeof request.digest === 'string' ? request.digest : '';
        const id = callIdOf(request.path ?? [], call.id);
        await session.calls()?.untilQuestionShown(id, signal);
        session.calls()?.describe(id, call);
        // What the call is held to is what is shown: both are read at once.
        const [changes, commands] = await withCachedEditorReads(() =>
          Promise.all([session.changesOf(call, signal), scope.commands?.(), scope.preview?.(call, signal)]),
        );
        const about = describeCall(call.name, call.arguments, request.tool, session.folder);
        const lines = withOrigin(
          showCall(call.name, readAgentPatch(call).call.arguments, commands),
          scope.origin?.(call.name),
        );
        const offered = offeredRule(decision);
        const option = (name: string, kind: PermissionOption['kind'], text: string): PermissionOption => ({
          // An answer to another question, or to this call with other arguments, is none of these.
          optionId: `${name}:${digest === '' ? id : digest}`,
          kind,
          name: text,
        });
        const once = option('once', 'allow_once', 'Yes, once');
        const forSession =
          offered && option('session', 'allow_always', `Yes, for this session: ${visibleLine(offered.allow)}`);
        const always = offered && option('always', 'allow_always', `Always: ${visibleLine(offered.allow)}`);
        const no = option('no', 'reject_once', 'No');
        const noBecause =
          capabilities.elicitation?.form == null ? undefined : option('because', 'reject_once', 'No, and say why');
        // An editor that knows options by their kinds alone takes the last of a kind: the one that allows less.
        const options = [once, always, forSession, no, noBecause].filter((each) => each !== undefined);
        const chosen = await ask(
          {
            toolCallId: id,
            status: 'pending',
            ...about,
            locations: locationsOf(changes.files, about.locations),
            ...rawInputOf(call.arguments),
            content: contentOf(lines, changes, call.arguments),
            _meta: { 'prompt-agent': { digest } },
          },
          options,
          signal,
        ).catch((error: unknown) => {
          signal.throwIfAborted();
          output.note(`The editor cannot ask: ${errorMessage(error)}`);
          return undefined;
        });
        if (chosen === undefined) return { decision: 'deny', reason: NO_EDITOR_ANSWER };
        if (chosen === no.optionId) return denial('');
        if (chosen === noBecause?.optionId) return denial(await reason(id, signal).catch(() => ''));
        if (offered !== undefined && chosen !== once.optionId)
          await addRule(offered, scope, output, chosen === always?.optionId);
        return { decision: 'allow', ...(digest !== '' && { digest }) };
      },
    async confirm(lines, question, signal) {
      questions += 1;
      const id = `question-${questions}`;
      const yes: PermissionOption = { optionId: `yes:${id}`, kind: 'allow_once', name: 'Yes' };
      const no: PermissionOption = { optionId: `no:${id}`, kind: 'reject_once', name: 'No' };
      const shown = {
        toolCallId: id,
        // What it is about, which an editor may show without the lines.
        title: `${toTitle((lines[0] ?? '').replace(/:$/, '.'))} ${question}`,
        kind: 'other' as const,
        content: [textContent(codeBlock(lines))],
      };
      session.notify({ sessionUpdate: 'tool_call', status: 'pending', ...shown });
      const answer = await ask({ ...shown, status: 'pending' }, [yes, no], signal).finally(() =>
        session.notify({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' }),
      );
      return answer === undefined ? undefined : answer === yes.optionId;
    },
    files: editorFiles(session),
    terminals: editorTerminals(session),
  };
}

/** What a question shows: the diffs of a call and what they do not show, and its arguments where these do not say all that it does. */
function contentOf(lines: readonly string[], changes: FileChanges, json: string): ToolCallContent[] {
  const { files, isWhole, notes } = changes;
  return [
    ...(isWhole && duplicateKeys(json).length === 0 ? [] : [textContent(codeBlock(lines))]),
    ...diffsOf(files),
    ...(notes.length === 0 ? [] : [textContent(codeBlock(notes))]),
  ];
}
