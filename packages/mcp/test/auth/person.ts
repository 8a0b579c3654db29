import { loopbackRedirect } from '../../src/auth/index.ts';
import type { AuthorizationCodeGrant } from '../../src/auth/index.ts';

/** In the place of a person with a browser: follows the redirects to their end. */
export const person: AuthorizationCodeGrant = {
  type: 'authorization-code',
  redirect: loopbackRedirect({ onUrl: async (url) => void (await fetch(url)) }),
};
