import { nearest } from '@kernel/internal';
import { checkPromptCache, KernelError, type ProviderRequest, type Tool } from '@kernel/protocol';

export function checkRequest(request: ProviderRequest): void {
  if (typeof request.model !== 'string' || request.model === '') {
    throw new KernelError('CONFIG_INVALID', 'The request has no model.', { hint: 'Set request.model.' });
  }
  if (request.messages.length === 0) {
    throw new KernelError('CONFIG_INVALID', 'The request has no messages.', { hint: 'Add at least one message.' });
  }
  if (request.cache !== undefined) checkPromptCache('The request', request.cache);
  const { toolChoice, tools = [] } = request;
  if (toolChoice === 'required' && tools.length === 0) {
    throw new KernelError('CONFIG_INVALID', 'toolChoice is "required", but the request offers no tools.', {
      hint: 'Offer a tool, or leave toolChoice out.',
    });
  }
  if (typeof toolChoice === 'object' && !tools.some((tool) => tool.name === toolChoice.name))
    throw notOffered(toolChoice.name, tools);
}

function notOffered(name: string, tools: readonly Tool[]): KernelError {
  const names = tools.map((tool) => tool.name);
  const [suggestion] = nearest(name, names, 1);
  return new KernelError('TOOL_NOT_FOUND', `toolChoice names "${name}", which the request does not offer.`, {
    hint: `${suggestion === undefined ? '' : `Did you mean "${suggestion}"? `}Offered: ${names.length === 0 ? 'no tools' : names.join(', ')}.`,
  });
}

export function unknownRoleError(message: unknown): KernelError {
  const role = typeof message === 'object' && message !== null && 'role' in message ? message.role : undefined;
  return new KernelError('CONFIG_INVALID', `A message has the unknown role "${String(role)}".`, {
    hint: 'Roles are system, user, assistant and tool.',
  });
}
