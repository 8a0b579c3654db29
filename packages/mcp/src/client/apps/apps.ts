import type { Toolset } from '@kernel/protocol';
import { readAppPage } from './app-page.ts';
import type { AskedServer, createAskServer } from '../ask-server.ts';
import { type CallTarget, createRemoteCalls } from '../calls/call-remote-tool.ts';
import type { McpContentOptions } from '../contents.ts';
import type { ApprovedTools } from '../tools/approved-tools.ts';

/** The app of a tool. */
export interface McpApp {
  /** The name of the server in the config. */
  readonly server: string;
  /** The name of the tool on its server. */
  readonly tool: string;
  /** The address of the page, which begins with `ui://`. */
  readonly uri: string;
}

/** What a page may ask the browser for, by the name in the Permissions Policy. */
export type McpAppPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboard-write';

/** The page of an app. It comes from a server: show it in a sandbox of another origin, under its policy, and nowhere else. */
export interface McpAppPage {
  /** The document. */
  readonly html: string;
  /** The header `Content-Security-Policy`: what the page declared, as far as it names servers on the internet, and nothing else. It holds for the page and puts it into a sandbox. */
  readonly policy: string;
  /** The origins that the page may load from and connect to. */
  readonly hosts: readonly string[];
  /** What the page would like to use. Grant none of it without asking. */
  readonly permissions: readonly McpAppPermission[];
  /** Whether it is to have a border. */
  readonly prefersBorder: boolean;
}

/** The apps of servers: pages that show what a tool did, and call tools of their server (the extension `io.modelcontextprotocol/ui`). */
export interface McpApps {
  /** The app of a tool, by its name in `list()`; undefined for one without. */
  find(tool: string): McpApp | undefined;
  /** Reads the page of an app: at most 4 MiB of HTML. Rejects with `TOOL_UNAVAILABLE` or `TOOL_FAILED`. */
  read(app: McpApp, options?: McpContentOptions): Promise<McpAppPage>;
  /**
   * The tools of a server that its apps may call, under the names of `list()`; some of them no model sees. A call by an app is to be decided on as one by a
   * model is.
   */
  tools(server: string): McpAppTools;
}

/** The tools that the apps of one server may call. */
export interface McpAppTools extends Toolset {
  /** The name of a tool in `list()`, by its name on the server; undefined if apps may not call it. */
  nameOf(tool: string): string | undefined;
}

type AppServer = AskedServer & CallTarget & { readonly tools: ApprovedTools };

export function createApps(
  { ask, find: findServer, servers }: ReturnType<typeof createAskServer<AppServer>>,
  isClosed: () => boolean,
): McpApps {
  return {
    find(tool) {
      for (const { server, tools } of servers) {
        const found = tools.find(tool);
        const uri = found?.app.uri;
        if (found !== undefined && uri !== undefined) return { server: server.config.name, tool: found.name, uri };
      }
      return undefined;
    },
    async read(app, { signal } = {}) {
      return ask(findServer(app.server), signal, (client, options) => readAppPage(client, app, options));
    },
    tools(name) {
      const target = findServer(name);
      const { forApps, ...tools } = target.tools;
      return {
        ...createRemoteCalls([{ ...target, tools: { ...tools, ...forApps } }], isClosed),
        list: () => forApps.tools(),
        nameOf: (tool: string) => forApps.remoteTools().find((each) => each.name === tool)?.tool.name,
      };
    },
  };
}
