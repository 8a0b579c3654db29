// Asks an MCP server once, with the tokens of a file: `refresh-program.ts <address> <file>`. Prints the status.
import { createSignIn, fileTokenStore } from '../../src/auth/index.ts';
import { person } from './person.ts';

const [serverUrl = '', file = ''] = process.argv.slice(2);
const signedIn = createSignIn({ serverUrl, grant: person, store: fileTokenStore(file) });
const { status } = await signedIn(serverUrl, { method: 'POST' });
console.log(status);
