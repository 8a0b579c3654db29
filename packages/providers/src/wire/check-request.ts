import { KernelError, type ProviderRequest } from '@kernel/protocol';
import { nearest } from '../nearest.ts';

/** Checks what every wire needs before anything is sent: a model, messages, and a tool choice that can be met. */
export function checkRequest(request: ProviderRequest): void {
  if (typeof request.model !== 'string' || request.model === '') {
    throw new KernelError('CONFIG_INVALID', 'The request names no model.', { hint: 'Set request.model.' });
  }
  if (request.messages.length === 0) {
    throw new KernelError('CONFIG_INVALID', 'The request has no messages.', { hint: 'Give at least one message.' });
  }
  const choice = request.toolChoice;
  const offered = request.tools ?? [];
  if (choice === 'required' && offered.length === 0) {
    throw new KernelError('CONFIG_INVALID', 'toolChoice is "required", but the request offers no tools.', {
      hint: 'Offer a tool, or leave toolChoice out.',
    });
  }
  if (typeof choice !== 'object' || offered.some((tool) => tool.name === choice.name)) return;
  const names = offered.map((tool) => tool.name);
  const near = nearest(choice.name, names);
  throw new KernelError('TOOL_NOT_FOUND', `toolChoice names "${choice.name}", which the request does not offer.`, {
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Offered: ${names.length === 0 ? 'no tools' : names.join(', ')}.`,
  });
}
