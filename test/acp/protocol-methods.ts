/**
 * What we do with each method, notification, update, kind of content and capability of the protocol, as an agent and as a client. `protocol-table.test.ts` compares the
 * names with the schema of the SDK: what is new there has to be decided on here.
 */

/** A test file that proves it, relative to the root of the repository, or why it is not done. */
export type Standing = { readonly test: string } | { readonly not: string };

/** What we do with one part of the protocol. */
export interface Row {
  /** As `prompt-agent acp`: it handles what a client sends, and sends the rest. */
  readonly agent: Standing;
  /** As `acpAgent` of `@kernel/acp`: it sends what an agent handles, and handles the rest. */
  readonly client: Standing;
}

/** Rows by the name of the part. */
export type Rows = Readonly<Record<string, Row>>;

const both = (not: string): Row => ({ agent: { not }, client: { not } });
const OURS = 'apps/prompt-agent/test/acp';
const THEIRS = 'packages/acp/test';

const PROXY = 'Unstable. For a program between an agent and a client, of which we have none.';
const PROVIDERS =
  "Unstable. Which model gets the files and the key of a user is said in the user's own config: a client that could change the address could read both.";
const AUTH_STATUS = 'Unstable. The first request that needs a key says which one is missing, and how to give it.';
const ARCHIVE = 'Unstable. Sessions are kept until they are deleted, and there is no second list.';
const MCP_OVER_ACP =
  'Unstable. Servers are reached over the transports of MCP, whose tools are approved by their hash.';
const SUBAGENTS =
  'Unstable. What a sub-agent does is shown within the call that started it, and approved there; it has no session of its own.';
const PLANS = 'Unstable. A session has one plan, which `plan` replaces.';
const ONE_TASK = 'A task is one session, which ends with the call.';
const OUR_SYSTEM_PROMPT =
  "Unstable. A client's text is a message of the user: the instructions of the program are not the client's.";

/** Requests and notifications, by who handles them. */
export const METHODS: Rows = {
  'agent initialize': {
    agent: { test: `${OURS}/sign-in.system.test.ts` },
    client: { test: `${THEIRS}/protocol.system.test.ts` },
  },
  'agent authenticate': {
    agent: { test: `${OURS}/sign-in.system.test.ts` },
    client: { not: 'Signing in is done with the agent itself: the error names its ways.' },
  },
  'agent logout': {
    agent: { test: `${OURS}/sign-in.system.test.ts` },
    client: { not: 'Signing out is done with the agent itself.' },
  },
  'agent session/new': {
    agent: { test: `${OURS}/session.test.ts` },
    client: { test: `${THEIRS}/protocol.system.test.ts` },
  },
  'agent session/load': { agent: { test: `${OURS}/session.test.ts` }, client: { not: ONE_TASK } },
  'agent session/list': { agent: { test: `${OURS}/session.test.ts` }, client: { not: ONE_TASK } },
  'agent session/delete': { agent: { test: `${OURS}/session.test.ts` }, client: { not: ONE_TASK } },
  'agent session/resume': { agent: { test: `${OURS}/session.test.ts` }, client: { not: ONE_TASK } },
  'agent session/fork': { agent: { test: `${OURS}/session.test.ts` }, client: { not: ONE_TASK } },
  'agent session/close': {
    agent: { test: `${OURS}/session.test.ts` },
    client: { not: 'The program ends with the task, and its session with it.' },
  },
  'agent session/set_mode': {
    agent: { test: `${OURS}/options.system.test.ts` },
    client: { test: `${THEIRS}/protocol.system.test.ts` },
  },
  'agent session/set_config_option': {
    agent: { test: `${OURS}/options.system.test.ts` },
    client: { test: `${THEIRS}/protocol.system.test.ts` },
  },
  'agent session/prompt': {
    agent: { test: `${OURS}/session.test.ts` },
    client: { test: `${THEIRS}/protocol.system.test.ts` },
  },
  'agent session/cancel (notification)': {
    agent: { test: `${OURS}/session.test.ts` },
    client: { test: `${THEIRS}/hostile.system.test.ts` },
  },
  'agent session/archive': both(ARCHIVE),
  'agent session/unarchive': both(ARCHIVE),
  'agent session/status': both(
    'Unstable. `session/list` says what there is, and a prompt is answered when it has ended.',
  ),
  'agent session/set_title': both('Unstable. The title is made of the first prompt, as in the terminal.'),
  'agent auth/status': both(AUTH_STATUS),
  'agent providers/list': both(PROVIDERS),
  'agent providers/set': both(PROVIDERS),
  'agent providers/disable': both(PROVIDERS),
  'agent mcp/message (notification)': both(MCP_OVER_ACP),
  'client session/update (notification)': {
    agent: { test: `${OURS}/session.test.ts` },
    client: { test: `${THEIRS}/protocol.system.test.ts` },
  },
  'client session/request_permission': {
    agent: { test: `${OURS}/permissions.test.ts` },
    client: { test: `${THEIRS}/requests.test.ts` },
  },
  'client fs/read_text_file': {
    agent: { test: `${OURS}/editor-files.system.test.ts` },
    client: { test: `${THEIRS}/requests.test.ts` },
  },
  'client fs/write_text_file': {
    agent: { test: `${OURS}/editor-files.system.test.ts` },
    client: { test: `${THEIRS}/requests.test.ts` },
  },
  'client terminal/create': {
    agent: { test: `${OURS}/editor-files.system.test.ts` },
    client: { test: `${THEIRS}/requests.test.ts` },
  },
  'client terminal/output': {
    agent: { test: `${OURS}/editor-files.system.test.ts` },
    client: { test: `${THEIRS}/requests.test.ts` },
  },
  'client terminal/wait_for_exit': {
    agent: { test: `${OURS}/editor-files.system.test.ts` },
    client: { test: `${THEIRS}/requests.test.ts` },
  },
  'client terminal/kill': {
    agent: { test: `${OURS}/editor-files.system.test.ts` },
    client: { test: `${THEIRS}/requests.test.ts` },
  },
  'client terminal/release': {
    agent: { test: `${OURS}/editor-files.system.test.ts` },
    client: { test: `${THEIRS}/requests.test.ts` },
  },
  'client elicitation/create': {
    agent: { test: `${OURS}/servers.system.test.ts` },
    client: { test: `${THEIRS}/requests.test.ts` },
  },
  'client elicitation/complete (notification)': {
    agent: {
      not: 'A page is opened for an MCP server, which alone knows when that has ended; the editor closes its own question.',
    },
    client: { not: 'No question of an agent is shown to a person.' },
  },
  'client auth/status_update (notification)': both(AUTH_STATUS),
  'client mcp/message': both(MCP_OVER_ACP),
  'protocol $/cancel_request (notification)': {
    agent: { test: `${OURS}/ends.test.ts` },
    client: { not: 'A task is cancelled as a turn is, and then its program ends.' },
  },
  'proxy proxy/initialize': both(PROXY),
  'proxy proxy/successor': both(PROXY),
  'proxy proxy/successor (notification)': both(PROXY),
};

/** The variants of unions, by the name of the union in the schema. */
export const VARIANTS: Readonly<Record<string, Rows>> = {
  SessionUpdate: {
    user_message_chunk: { agent: { test: `${OURS}/session.test.ts` }, client: { not: 'The task is ours.' } },
    agent_message_chunk: {
      agent: { test: `${OURS}/session.test.ts` },
      client: { test: `${THEIRS}/protocol.system.test.ts` },
    },
    agent_thought_chunk: {
      agent: { test: `${OURS}/session.test.ts` },
      client: { test: `${THEIRS}/protocol.system.test.ts` },
    },
    tool_call: { agent: { test: `${OURS}/session.test.ts` }, client: { test: `${THEIRS}/protocol.system.test.ts` } },
    tool_call_update: {
      agent: { test: `${OURS}/session.test.ts` },
      client: { test: `${THEIRS}/protocol.system.test.ts` },
    },
    plan: { agent: { test: `${OURS}/session.test.ts` }, client: { test: `${THEIRS}/protocol.system.test.ts` } },
    plan_update: both(PLANS),
    plan_removed: both(PLANS),
    available_commands_update: {
      agent: { test: `${OURS}/prompts.test.ts` },
      client: { not: 'It says nothing of the task, and is dropped.' },
    },
    current_mode_update: {
      agent: { test: `${OURS}/options.system.test.ts` },
      client: { not: 'It says nothing of the task, and is dropped.' },
    },
    config_option_update: {
      agent: { test: `${OURS}/options.system.test.ts` },
      client: { not: 'It says nothing of the task, and is dropped.' },
    },
    session_info_update: {
      agent: { test: `${OURS}/session.test.ts` },
      client: { not: 'It says nothing of the task, and is dropped.' },
    },
    usage_update: {
      agent: { test: `${OURS}/options.system.test.ts` },
      client: { test: `${THEIRS}/protocol.system.test.ts` },
    },
    notice: {
      agent: { test: `${OURS}/ends.test.ts` },
      client: { not: 'Not advertised: what a caller has to read is in the answer.' },
    },
    compaction_update: {
      agent: { not: 'Unstable. `/compact` answers with a sentence when the summary has been made.' },
      client: { not: 'Not advertised: how an agent keeps its history is its own business.' },
    },
    compaction_summary_chunk: {
      agent: { not: 'Unstable, as is its update.' },
      client: { not: 'Not advertised, as is its update.' },
    },
    subagent_update: both(SUBAGENTS),
    session_message: both(SUBAGENTS),
    session_message_chunk: both(SUBAGENTS),
  },
  PlanUpdateContent: {
    items: both(PLANS),
    file: both(PLANS),
    markdown: both(PLANS),
  },
  ContentBlock: {
    text: { agent: { test: `${OURS}/prompts.test.ts` }, client: { test: `${THEIRS}/protocol.system.test.ts` } },
    image: {
      agent: { test: `${OURS}/prompts.test.ts` },
      client: { not: 'An answer is text; other content is left out.' },
    },
    audio: {
      agent: { test: `${OURS}/prompts.test.ts` },
      client: { not: 'An answer is text; other content is left out.' },
    },
    resource_link: {
      agent: { test: `${OURS}/prompts.test.ts` },
      client: { not: 'An answer is text; other content is left out.' },
    },
    resource: {
      agent: { test: `${OURS}/prompts.test.ts` },
      client: { not: 'An answer is text; other content is left out.' },
    },
  },
  ToolCallContent: {
    content: { agent: { test: `${OURS}/session.test.ts` }, client: { test: `${THEIRS}/protocol.system.test.ts` } },
    diff: { agent: { test: `${OURS}/session.test.ts` }, client: { test: `${THEIRS}/requests.test.ts` } },
    terminal: {
      agent: { test: `${OURS}/editor-files.system.test.ts` },
      client: { not: 'A terminal is a call of its own, which is shown.' },
    },
  },
  StopReason: {
    end_turn: { agent: { test: `${OURS}/ends.test.ts` }, client: { test: `${THEIRS}/protocol.system.test.ts` } },
    max_tokens: { agent: { test: `${OURS}/ends.test.ts` }, client: { test: `${THEIRS}/requests.test.ts` } },
    max_turn_requests: {
      agent: { test: `${OURS}/ends.test.ts` },
      client: { test: `${THEIRS}/protocol.system.test.ts` },
    },
    refusal: { agent: { test: `${OURS}/ends.test.ts` }, client: { test: `${THEIRS}/requests.test.ts` } },
    cancelled: { agent: { test: `${OURS}/session.test.ts` }, client: { test: `${THEIRS}/hostile.system.test.ts` } },
  },
  SessionConfigOption: {
    select: {
      agent: { test: `${OURS}/options.system.test.ts` },
      client: { test: `${THEIRS}/protocol.system.test.ts` },
    },
    boolean: {
      agent: { not: 'No option of a session is on or off.' },
      client: { not: 'A model is chosen by its name; no other option is set.' },
    },
  },
  CreateElicitationRequest: {
    form: {
      agent: { test: `${OURS}/servers.system.test.ts` },
      client: { not: 'Declined: an agent asks for what it needs by its permissions, and its answer can ask the rest.' },
    },
    url: {
      agent: { test: `${OURS}/servers.system.test.ts` },
      client: { not: 'Declined: an agent signs in on its own.' },
    },
    other: both('For kinds that a later version of the protocol has: refused like anything unknown.'),
  },
  AuthMethod: {
    terminal: {
      agent: { test: `${OURS}/sign-in.system.test.ts` },
      client: { not: 'Signing in is done with the agent itself: the error names its ways.' },
    },
    agent: {
      agent: { test: `${OURS}/sign-in.system.test.ts` },
      client: { not: 'Signing in is done with the agent itself: the error names its ways.' },
    },
  },
  McpServer: {
    stdio: {
      agent: { test: `${OURS}/servers.system.test.ts` },
      client: { not: 'An agent has the servers of its own settings.' },
    },
    http: {
      agent: { test: `${OURS}/servers.system.test.ts` },
      client: { not: 'An agent has the servers of its own settings.' },
    },
    sse: {
      agent: {
        not: 'Deprecated by MCP since its revision of March 2025: servers that still have it alone are refused by name.',
      },
      client: { not: 'An agent has the servers of its own settings.' },
    },
    acp: both(MCP_OVER_ACP),
  },
};

/** What an agent says that it can do. */
export const AGENT_CAPABILITIES: Rows = {
  loadSession: { agent: { test: `${OURS}/session.test.ts` }, client: { not: ONE_TASK } },
  'promptCapabilities.image': { agent: { test: `${OURS}/prompts.test.ts` }, client: { not: 'A task is text.' } },
  'promptCapabilities.audio': { agent: { test: `${OURS}/prompts.test.ts` }, client: { not: 'A task is text.' } },
  'promptCapabilities.embeddedContext': {
    agent: { test: `${OURS}/prompts.test.ts` },
    client: { not: 'A task is text: the agent reads the files itself.' },
  },
  'mcpCapabilities.http': {
    agent: { test: `${OURS}/servers.system.test.ts` },
    client: { not: 'An agent has the servers of its own settings.' },
  },
  'mcpCapabilities.sse': {
    agent: { not: 'Deprecated by MCP since its revision of March 2025.' },
    client: { not: 'An agent has the servers of its own settings.' },
  },
  'mcpCapabilities.acp': both(MCP_OVER_ACP),
  'sessionCapabilities.list': { agent: { test: `${OURS}/session.test.ts` }, client: { not: ONE_TASK } },
  'sessionCapabilities.delete': { agent: { test: `${OURS}/session.test.ts` }, client: { not: ONE_TASK } },
  'sessionCapabilities.additionalDirectories': {
    agent: { not: 'A session works in one folder: rules and undo are those of one workspace.' },
    client: { not: 'It works in a copy of one folder.' },
  },
  'sessionCapabilities.systemPrompt.mode.override': both(OUR_SYSTEM_PROMPT),
  'sessionCapabilities.fork': { agent: { test: `${OURS}/session.test.ts` }, client: { not: ONE_TASK } },
  'sessionCapabilities.archive': both(ARCHIVE),
  'sessionCapabilities.status': both('Unstable, as is its method.'),
  'sessionCapabilities.title': both('Unstable, as is its method.'),
  'sessionCapabilities.resume': { agent: { test: `${OURS}/session.test.ts` }, client: { not: ONE_TASK } },
  'sessionCapabilities.close': {
    agent: { test: `${OURS}/session.test.ts` },
    client: { not: 'The program ends with the task, and its session with it.' },
  },
  'auth.status': both(AUTH_STATUS),
  'auth.logout': {
    agent: { test: `${OURS}/sign-in.system.test.ts` },
    client: { not: 'Signing out is done with the agent itself.' },
  },
  providers: both(PROVIDERS),
};

/** What a client says that it can do. */
export const CLIENT_CAPABILITIES: Rows = {
  'fs.readTextFile': {
    agent: { test: `${OURS}/editor-files.system.test.ts` },
    client: { test: `${THEIRS}/requests.test.ts` },
  },
  'fs.writeTextFile': {
    agent: { test: `${OURS}/editor-files.system.test.ts` },
    client: { test: `${THEIRS}/requests.test.ts` },
  },
  terminal: { agent: { test: `${OURS}/editor-files.system.test.ts` }, client: { test: `${THEIRS}/requests.test.ts` } },
  'session.compaction': {
    agent: { not: 'Unstable, as is its update.' },
    client: { not: 'How an agent keeps its history is its own business.' },
  },
  'session.configOptions.boolean': {
    agent: { not: 'No option of a session is on or off.' },
    client: { not: 'A model is chosen by its name; no other option is set.' },
  },
  'session.notices': {
    agent: { test: `${OURS}/ends.test.ts` },
    client: { not: 'What a caller has to read is in the answer.' },
  },
  subagents: both(SUBAGENTS),
  plan: both(PLANS),
  'auth.terminal': {
    agent: { test: `${OURS}/sign-in.system.test.ts` },
    client: { not: 'Signing in is done with the agent itself: the error names its ways.' },
  },
  'elicitation.form': {
    agent: { test: `${OURS}/permissions.test.ts` },
    client: { not: 'Declined: an agent asks for what it needs by its permissions, and its answer can ask the rest.' },
  },
  'elicitation.url': {
    agent: { test: `${OURS}/servers.system.test.ts` },
    client: { not: 'Declined: an agent signs in on its own.' },
  },
};
