import codes from './fault-codes.json'

/**
 * The fault of an error code, which the file lists by its start; a colon separates an explanation. The first that
 * matches counts. `sqlite`: result codes (https://sqlite.org/rescode.html), and codes of the operating system, from
 * creating a file. `postgres`: SQLSTATEs (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 * `postgresClient`: codes of Bun's client.
 */
export function faultOfCode<Source extends keyof typeof codes>(source: Source, code: string) {
  const matches = (listed: string) => code.startsWith(listed.split(':')[0]!)
  const found = Object.entries<string[]>(codes[source]).find(([, starts]) => starts.some(matches))
  return (found?.[0] ?? null) as keyof (typeof codes)[Source] | null
}
