import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the names, versions and licences of the packages that modules come from, by their paths in `node_modules`; empty if there are none. Throws for a package without a licence. */
export function licensesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((path) => packageFolder(path) ?? []));
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly version: string;
      readonly license?: string;
    };
    const file = readdirSync(folder).find((each) => /^(?:licen[cs]e|copying)/i.test(each));
    if (file === undefined && license === undefined) throw new Error(`${name} is bundled and has no licence.`);
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return texts.toSorted().join(`\n${'-'.repeat(80)}\n\n`);
}

/** The folder of the package that a file in `node_modules` belongs to. */
function packageFolder(path: string): string | undefined {
  const marker = '/node_modules/';
  const at = path.replaceAll('\\', '/').lastIndexOf(marker);
  if (at === -1) return undefined;
  const [scope = '', name = ''] = path.slice(at + marker.length).split('/');
  return path.slice(0, at + marker.length) + (scope.startsWith('@') ? `${scope}/${name}` : scope);
}
