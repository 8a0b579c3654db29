import { resolve } from 'node:path';
import { requireText, parseJson } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import { usageError } from '../exit-code.ts';

/**
 * Reads a file of `mcpServers`. `${NAME}`, `${env:NAME}` and `${NAME:-default}` in its strings stand for environment variables, so
 * that a token need not be in the file. Throws a usage error that names the file.
 */
export async function readMcpFile(file: string, host: Pick<Host, 'cwd' | 'env'>): Promise<unknown> {
  const text = await requireText(resolve(host.cwd, file), '--tools', file);
  const fill = (value: string): string =>
    value.replaceAll(/\$\{([^}]{0,4096})\}/g, (whole, inside: string) => {
      const [, name, otherwise] = /^(?:env:)?(\w+)(?::-(.*))?$/s.exec(inside) ?? [];
      if (name === undefined)
        throw usageError(`--tools: "${file}" has ${whole}; write \${NAME}, \${env:NAME} or \${NAME:-default}.`);
      const found = host.env[name] ?? otherwise;
      if (found === undefined) throw usageError(`--tools: "${file}" uses the variable ${name}, which is not set.`);
      return found;
    });
  const { checkMcpFile } = await import('../config/file-schemas.ts');
  const json = checkMcpFile(file, parseJson(text, `--tools: "${file}"`));
  return fillTexts(json, fill);
}

function fillTexts(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((part: unknown) => fillTexts(part, fill));
  if (typeof value !== 'object' || value === null) return value;
  if ('disabled' in value && value.disabled === true) return value; // its variables may be unset
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fillTexts(part, fill)]));
}
