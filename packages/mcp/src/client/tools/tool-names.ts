import { mountedName } from '@kernel/protocol';

export type NameTool = (server: string, tool: string) => string;

/** Creates a function that names each tool of each server: valid, unique, and always the same for the same tool. */
export function createToolNames(): NameTool {
  const used = new Set<string>();
  const names = new Map<string, string>();
  return (server, tool) => {
    const key = JSON.stringify([server, tool]);
    let name = names.get(key);
    if (name === undefined) {
      name = mountedName(server, tool, used);
      used.add(name);
      names.set(key, name);
    }
    return name;
  };
}
