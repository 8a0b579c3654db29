/** A server of the matrix over standard input and output: `stdio-server.ts ours|1|2 [REVISION]`. */
import { serveStdio } from '@kernel/mcp';
import { StdioServerTransport as Transport1 } from '@modelcontextprotocol/sdk/server/stdio.js';
import { serveStdio as serveSdk2, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { ourTools } from './our-tools.ts';
import { connectServer2, createServer1, createServer2 } from './sdk-servers.ts';

const [, , which, revision] = process.argv;
if (which === 'ours') await serveStdio(ourTools()).closed;
else if (which === '1') await createServer1().connect(new Transport1());
else if (revision === '2026-07-28') serveSdk2(() => createServer2(), { legacy: 'reject' });
else await connectServer2(new StdioServerTransport());
