import type { DefaultAzureCredential, ManagedIdentityCredential } from '@azure/identity';
import type { AzureCredential } from '../../src/index.ts';

// The credentials of the installed package are what `azureToken` takes.
declare const usual: DefaultAzureCredential;
declare const managed: ManagedIdentityCredential;
export const credentials: readonly AzureCredential[] = [usual, managed];
