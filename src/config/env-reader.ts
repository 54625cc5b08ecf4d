import { distance } from 'fastest-levenshtein'

import type { Parse } from './parse.ts'

/** The process's variables, as `process.env` gives them. */
export type Env = Readonly<Record<string, string | undefined>>

/** A command-line option that overrides a variable. Problems are reported under the option's name. */
export interface Flag {
  /** As it is typed: `--port`. */
  name: string
  value: string
}

/** Options by the name of the variable that each overrides. */
export type Flags = Readonly<Record<string, Flag>>

/** One variable as it took effect, for people to read. */
export interface Setting {
  name: string
  /** As an operator would write it; a secret is masked; null for none. */
  value: string | null
  source: 'set' | 'default'
}

const PREFIX = 'URLMETA_'

/** Reads variables one by one, remembering every name asked for, every effective value and every fault. */
export class EnvReader {
  readonly settings: Setting[] = []
  readonly #faults: string[] = []
  readonly #known = new Set<string>()

  constructor(
    private readonly env: Env,
    private readonly flags: Flags = {},
  ) {}

  /** A variable that always has a value; `fallback` is written as an operator would write it. */
  required<T>(name: string, parse: Parse<T>, fallback: string): T {
    return this.optional(name, parse, fallback) ?? trusted(name, parse, fallback)
  }

  /** A variable that may be absent: null then, and null when it is at fault. `effective` is shown for an absent one. */
  optional<T>(name: string, parse: Parse<T>, effective: string | null = null): T | null {
    return this.#read(name, parse, effective, (text) => text)
  }

  /** Like `optional`, but its value is never shown. */
  secret<T>(name: string, parse: Parse<T>): T | null {
    return this.#read(name, parse, null, () => '••••')
  }

  /** A variable that has a meaning, but not here. */
  refuse(name: string, reason: string): void {
    this.#known.add(name)
    if (this.has(name)) this.fault(name, reason)
  }

  /** What the pattern captures in the names that say anything, each once, sorted: parts that the operator chooses. */
  captured(pattern: RegExp): string[] {
    const names = Object.keys(this.env).filter((name) => this.has(name))
    return [...new Set(names.flatMap((name) => pattern.exec(name)?.[1] ?? []))].toSorted()
  }

  /** Whether the variable says anything, right or wrong. */
  has(name: string): boolean {
    return this.#text(name) !== ''
  }

  fault(name: string, what: string): void {
    this.#faults.push(`${this.flags[name]?.name ?? name}: ${what}`)
  }

  /** Every fault so far, and one for every name of ours that nobody asked for. */
  faults(): string[] {
    const unknown = Object.keys(this.env).filter((name) => this.#isUnknown(name) && this.has(name))
    return [...this.#faults, ...unknown.map((name) => `${name}: unknown variable${this.#hint(name)}`)]
  }

  #read<T>(name: string, parse: Parse<T>, effective: string | null, show: (text: string) => string): T | null {
    this.#known.add(name)
    const text = this.#text(name)
    this.settings.push({ name, value: text === '' ? effective : show(text), source: text === '' ? 'default' : 'set' })
    // An empty variable counts as not set; an empty option, such as --port "$UNSET", is a mistake.
    if (text === '' && this.flags[name]) this.fault(name, 'expected a value, got ""')
    if (text === '') return null
    const parsed = parse(text)
    if ('value' in parsed) return parsed.value
    this.fault(name, parsed.fault)
    return null
  }

  /** `docker run --env-file` hands quotes over as part of the value; no value of ours begins and ends with one. */
  #text(name: string): string {
    const flag = this.flags[name]
    if (flag) return flag.value
    const text = this.env[name]?.trim() ?? ''
    return (/^(["'])(.*)\1$/.exec(text)?.[2] ?? text).trim()
  }

  #isUnknown(name: string): boolean {
    // Lower case too: nothing reads `urlmeta_port`, so whoever set it believes in an effect that is not there.
    return name.toUpperCase().startsWith(PREFIX) && !this.#known.has(name)
  }

  #hint(name: string): string {
    if (/^URLMETA_(SERVICE_|PORT_\d)/.test(name)) return KUBERNETES_HINT
    const near = nearest(name.toUpperCase(), [...this.#known])
    if (name.startsWith(OIDC_PREFIX) && !near?.startsWith(OIDC_PREFIX)) return OIDC_HINT
    return near === undefined ? '' : `, did you mean ${near}?`
  }
}

/** Kubernetes sets such names in every pod of a namespace that has a Service called `urlmeta`. */
const KUBERNETES_HINT =
  ' (set by Kubernetes for a Service named urlmeta: put enableServiceLinks: false in the pod spec)'

const OIDC_PREFIX = 'URLMETA_OIDC_'

/** `URLMETA_OIDC_ISSUER` lacks the name of the provider, and no known variable is near it. */
const OIDC_HINT =
  ' (an OpenID Connect issuer has URLMETA_OIDC_<NAME>_ISSUER, _CLIENT_ID, _CLIENT_SECRET and _LABEL, in capitals)'

/** A fallback is ours, so a fault in it is a mistake in this program. */
function trusted<T>(name: string, parse: Parse<T>, fallback: string): T {
  const parsed = parse(fallback)
  if ('fault' in parsed) throw new Error(`${name}: its default is wrong: ${parsed.fault}`)
  return parsed.value
}

/** The name most likely meant: a word too many or too few (`LOG_LEVEL`, `TTL`), or at most half of it mistyped. */
function nearest(name: string, known: string[]): string | undefined {
  const meant = name.slice(PREFIX.length)
  const sameWords = known.filter((other) => sharesWords(meant, other.slice(PREFIX.length)))
  const near = sameWords.length > 0 ? sameWords : known.filter((other) => isMistyped(meant, other.slice(PREFIX.length)))
  return near.toSorted((a, b) => distance(name, a) - distance(name, b))[0]
}

function isMistyped(a: string, b: string): boolean {
  return distance(a, b) <= Math.max(a.length, b.length) / 2
}

/** Whether every word of the one is in the other. */
function sharesWords(a: string, b: string): boolean {
  const [x, y] = [new Set(a.split('_')), new Set(b.split('_'))]
  return x.isSubsetOf(y) || y.isSubsetOf(x)
}
