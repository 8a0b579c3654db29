import type { MediaPart, Message, TextPart } from '@kernel/protocol';

/** Something that a server offers to read: a file, a page, a row. */
export interface McpResource {
  /** The name of the server in the config. */
  readonly server: string;
  /** Its address, which only the server understands. */
  readonly uri: string;
  /** Its name, for people. */
  readonly name: string;
  /** What is in it. */
  readonly description?: string;
  /** Its media type. */
  readonly mimeType?: string;
  /** Its size in bytes. */
  readonly size?: number;
}

/** A family of resources: `{name}` in its address stands for a value. */
export interface McpResourceTemplate extends Omit<McpResource, 'uri' | 'size'> {
  /** Its address with placeholders (RFC 6570). */
  readonly uriTemplate: string;
}

/** A text that a server has prepared, for the user to choose. */
export interface McpPrompt {
  /** The name of the server in the config. */
  readonly server: string;
  /** Its name on the server. */
  readonly name: string;
  /** What it is for. */
  readonly description?: string;
  /** What it asks for. */
  readonly arguments: readonly McpPromptArgument[];
}

/** What a prompt asks for. */
export interface McpPromptArgument {
  /** Its name. */
  readonly name: string;
  /** What it means. */
  readonly description?: string;
  /** Whether the prompt can't do without it. */
  readonly required: boolean;
}

/** What to complete: an argument of a prompt, or a placeholder of a template, as far as it was typed. */
export interface McpCompletion {
  /** The name of the server in the config. */
  readonly server: string;
  /** The prompt, by its name. */
  readonly prompt?: string | undefined;
  /** The template, by its `uriTemplate`. */
  readonly uriTemplate?: string | undefined;
  /** The name of the argument or placeholder. */
  readonly argument: string;
  /** What was typed of it. */
  readonly value: string;
  /** The arguments that have a value already. */
  readonly given?: Readonly<Record<string, string>> | undefined;
}

/** What a server says of itself, in the connection that is there. */
export interface McpServerInfo {
  /** The name of the server in the config. */
  readonly server: string;
  /** The version of the protocol that is spoken, such as `2026-07-28`. */
  readonly protocolVersion?: string;
  /** The name that it gives itself. */
  readonly name?: string;
  /** Its own version. */
  readonly version?: string;
  /** Whether it has resources. */
  readonly hasResources: boolean;
  /** Whether it has prompts. */
  readonly hasPrompts: boolean;
}

/** What servers have beside tools. Nothing of it reaches a model by itself. Each call rejects with `TOOL_UNAVAILABLE` or `TOOL_FAILED`, which name the server. */
export interface McpContents {
  /** Lists the resources of all servers, or of one: at most 10,000 of each, in the order of the config. A server that has none is left out. */
  listResources(options?: McpListOptions): Promise<readonly McpResource[]>;
  /** Lists the templates of all servers, or of one. */
  listResourceTemplates(options?: McpListOptions): Promise<readonly McpResourceTemplate[]>;
  /** Reads a resource: texts, and data as media in base64. At most 100 parts and 10 MiB. Links in it are not followed. */
  readResource(
    resource: Pick<McpResource, 'server' | 'uri'>,
    options?: McpContentOptions,
  ): Promise<readonly (TextPart | MediaPart)[]>;
  /** Lists the prompts of all servers, or of one. */
  listPrompts(options?: McpListOptions): Promise<readonly McpPrompt[]>;
  /** Returns the messages of a prompt with these arguments. At most 100, and 10 MiB. */
  getPrompt(
    prompt: Pick<McpPrompt, 'server' | 'name'>,
    input?: Readonly<Record<string, string>>,
    options?: McpContentOptions,
  ): Promise<readonly Message[]>;
  /** Returns how a value could go on, at most 100 texts; none where the server can't say. */
  complete(completion: McpCompletion, options?: McpContentOptions): Promise<readonly string[]>;
  /** Returns what a server says of itself, and the version of the protocol that is spoken with it. */
  serverInfo(server: string, options?: McpContentOptions): Promise<McpServerInfo>;
}

/** How to ask a server for content. */
export interface McpContentOptions {
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined;
}

/** What to list. */
export interface McpListOptions extends McpContentOptions {
  /** The name of a server in the config. Default: all. */
  readonly server?: string | undefined;
}
