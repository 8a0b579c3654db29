import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Bundles one of the programs with all it imports, as the bundlers of a runtime do: with the export conditions of that runtime. */
export async function bundleFor(conditions: readonly string[], file: string): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, file),
    platform: 'neutral',
    resolve: { conditionNames: [...conditions, 'import', 'default'] },
    external: OPTIONAL,
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  return output[0].code;
}

/** Modules of Node, and packages that a user installs or that only Node loads: where the code names them, it stays so. */
const OPTIONAL = /^(?:node:|\.\/quickjs\.wasm$|(?:@aws-sdk|@smithy|@azure|@opentelemetry|undici)\/)/;
