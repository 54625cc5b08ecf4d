// A network namespace in which sites have public names and addresses, all served by this machine. Nothing in it reaches the
// Internet. For what the server refuses on private hosts, such as images and keys of browsers. Linux only; needs `unshare` and
// `ip`, and root or user namespaces.
import { type DnsServer, openDnsServer, type Records } from '../test/origin/dns-server.ts'
import { PROGRAM_PATH } from '../test/programs.ts'

/** Set in the process that runs in the namespace. */
const MARK = 'BENCH_NETWORK'
/** Public addresses, each of which is local in the namespace. */
const ADDRESSES = '93.184.0.0/16'
const TTL_SECONDS = 60

/** Whether the process runs in the namespace. If not, runs the same command there until it exits. */
export async function entersOwnNetwork(): Promise<boolean> {
  if (process.env[MARK] !== undefined) {
    for (const command of ['ip link set lo up', `ip route add local ${ADDRESSES} dev lo`]) {
      const { success, stderr } = Bun.spawnSync(command.split(' '), { env: { PATH: PROGRAM_PATH } })
      if (!success) throw new Error(`${command}: ${stderr.toString()}`)
    }
    return true
  }
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const child = Bun.spawn(['unshare', ...asRoot, '--net', process.execPath, ...Bun.argv.slice(1)], {
    env: { ...process.env, [MARK]: 'own', PATH: PROGRAM_PATH },
    stdio: ['inherit', 'inherit', 'inherit'],
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  process.exitCode = await child.exited
  return false
}

/** Resolves `N.NAME.example` to the Nth address, and no other name. */
export function openSiteNames(): Promise<DnsServer> {
  const recordsOf = (name: string) => (): Records => {
    const n = Number.parseInt(name, 10)
    return { A: [`93.184.${(n >> 8) & 255}.${n & 255}`], ttl: TTL_SECONDS }
  }
  const zone = new Proxy(
    {},
    { get: (_, name) => (/^\d+\.\w+\.example$/.test(String(name)) ? recordsOf(String(name)) : undefined) },
  )
  return openDnsServer(zone)
}
