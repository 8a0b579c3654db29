import type { Tool } from '@kernel/protocol';
import { toolSchema } from '@kernel/protocol/schemas';
import { parseWith } from '../config/parse-with.ts';

const toolsSchema = toolSchema.array();

/** Checks the content of `--tools-file`. Throws a usage error that names the file and each mistake. */
export function parseToolsFile(file: string, content: unknown): readonly Tool[] {
  return parseWith(toolsSchema, content, `--tools-file: "${file}"`);
}
