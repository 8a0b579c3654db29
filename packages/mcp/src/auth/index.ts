export { createSignIn, isSignedIn, signOut } from './sign-in.ts';
export type {
  AuthorizationCodeGrant,
  ClientCredentialsGrant,
  EnterpriseManagedGrant,
  IdentityProvider,
  RegisteredClient,
  SignInGrant,
  SignInOptions,
  WorkloadIdentityGrant,
} from './sign-in-options.ts';
export { loopbackRedirect } from './loopback-redirect.ts';
export type { LoopbackRedirectOptions, OpenRedirect, Redirect, RedirectAnswer } from './loopback-redirect.ts';
export { fileTokenStore, memoryTokenStore, type TokenStore } from './store/token-store.ts';
