import { join } from 'node:path'

const PATH = join(import.meta.dir, '../../docs/link-previews.md')

/** The rules of an app in docs/link-previews.md, with the URLs of their sources; null for a rule without a source. */
export async function documentedRules(app: string): Promise<Map<string, string | null>> {
  const text = await Bun.file(PATH).text()
  const [, section = ''] = new RegExp(`^### ${app}\n\n((?:- .*\n)*)`, 'm').exec(text) ?? []
  return new Map(
    section
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [, rule = line, url = null] = /^- (.*): (?:<(https:\S+)>|no source)$/.exec(line) ?? []
        return [rule, url]
      }),
  )
}
