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
