import { distance } from 'fastest-levenshtein'

import type { Parse } from './parse.ts'

/** Environment variables, like `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>

/** Command-line options by the variable that each overrides. Problems are reported under the option's name: `--port`. */
export type Flags = Readonly<Record<string, { name: string; value: string }>>

/** The effective value of one variable, for display. */
export interface Variable {
  name: string
  /** In the format of the variable; secrets are masked; null when unset. */
  value: string | null
  source: 'set' | 'default'
  /** The content of the file that the variable names, for display. */
  detail?: unknown
}

const PREFIX = 'URLMETA_'

/** Reads variables, and collects the known names, the effective values and the errors. */
export class EnvReader {
  readonly variables: Variable[] = []
  /** The names of the variables that `live` has read. */
  readonly liveNames = new Set<string>()
  readonly #errors: string[] = []
  readonly #known = new Set<string>()

  constructor(
    private readonly env: Env,
    private readonly flags: Flags = {},
  ) {}

  /** A variable with a default; `fallback` is in the format of the variable. `show` formats a value for display. */
  required<T>(name: string, parse: Parse<T>, fallback: string, show: (text: string) => string = (text) => text): T {
    return this.#read(name, parse, fallback, show) ?? parseDefault(name, parse, fallback)
  }

  /** An optional variable; null when absent or faulty. `effective` is displayed when the variable is absent. */
  optional<T>(name: string, parse: Parse<T>, effective: string | null = null): T | null {
    return this.#read(name, parse, effective, (text) => text)
  }

  /** Like `optional`, but the value is displayed masked by `mask`. */
  secret<T>(name: string, parse: Parse<T>, mask: (text: string) => string = () => '••••'): T | null {
    return this.#read(name, parse, null, mask)
  }

  /** Reads variables that a reload applies without a restart. */
  live<T>(readValue: () => T): T {
    const alreadyRead = this.variables.length
    const value = readValue()
    for (const { name } of this.variables.slice(alreadyRead)) this.liveNames.add(name)
    return value
  }

  /** The distinct first captures of `pattern` in the names of all set variables, sorted. */
  captured(pattern: RegExp): string[] {
    const names = Object.keys(this.env).filter((name) => this.has(name))
    return [...new Set(names.flatMap((name) => pattern.exec(name)?.[1] ?? []))].toSorted()
  }

  /** Whether the variable is set, validly or not. */
  has(name: string): boolean {
    return this.#text(name) !== ''
  }

  /** Adds the content of the file that a variable names, with secrets masked. */
  detail(name: string, detail: unknown): void {
    const variable = this.variables.find((one) => one.name === name)
    if (variable) variable.detail = detail
  }

  addError(name: string, message: string): void {
    this.#errors.push(`${this.flags[name]?.name ?? name}: ${message}`)
  }

  /** All errors so far, and one for every unknown URLMETA_ variable. */
  errors(): string[] {
    const unknown = Object.keys(this.env).filter((name) => this.#isUnknown(name) && this.has(name))
    return [...this.#errors, ...unknown.map((name) => `${name}: unknown variable${this.#hint(name)}`)]
  }

  #read<T>(name: string, parse: Parse<T>, effective: string | null, show: (text: string) => string): T | null {
    this.#known.add(name)
    const text = this.#text(name)
    this.variables.push({ name, value: text === '' ? effective : show(text), source: text === '' ? 'default' : 'set' })
    // An empty variable counts as not set; an empty option, such as --port "$UNSET", is a mistake.
    if (text === '' && this.flags[name]) this.addError(name, 'expected a value, got ""')
    if (text === '') return null
    const parsed = parse(text)
    if ('value' in parsed) return parsed.value
    this.addError(name, parsed.error)
    return null
  }

  /**
   * `docker run --env-file` keeps quotation marks as part of the value. They are removed: no valid value begins and
   * ends with one.
   */
  #text(name: string): string {
    const flag = this.flags[name]
    if (flag) return flag.value
    const text = this.env[name]?.trim() ?? ''
    return (/^(["'])(.*)\1$/.exec(text)?.[2] ?? text).trim()
  }

  #isUnknown(name: string): boolean {
    // Lower case too: `urlmeta_port` has no effect and is probably a mistake.
    return name.toUpperCase().startsWith(PREFIX) && !this.#known.has(name)
  }

  #hint(name: string): string {
    if (/^URLMETA_(SERVICE_|PORT_\d)/.test(name)) return KUBERNETES_HINT
    const suggestion = nearest(name.toUpperCase(), [...this.#known])
    if (name.startsWith(OIDC_PREFIX) && !suggestion?.startsWith(OIDC_PREFIX)) return OIDC_HINT
    return suggestion === undefined ? '' : `, did you mean ${suggestion}?`
  }
}

/** Kubernetes sets these variables in every pod of a namespace with a Service called `urlmeta`. */
const KUBERNETES_HINT =
  ' (set by Kubernetes for a Service named urlmeta: put enableServiceLinks: false in the pod spec)'

const OIDC_PREFIX = 'URLMETA_OIDC_'

/** For names such as `URLMETA_OIDC_ISSUER`, which lack the provider's name. */
const OIDC_HINT =
  ' (an OpenID Connect issuer is configured by URLMETA_OIDC_<NAME>_ISSUER, _CLIENT_ID, _CLIENT_SECRET and _LABEL, in capitals)'

/** An invalid default is a bug in this program. */
function parseDefault<T>(name: string, parse: Parse<T>, fallback: string): T {
  const parsed = parse(fallback)
  if ('error' in parsed) throw new Error(`${name}: invalid default: ${parsed.error}`)
  return parsed.value
}

/**
 * The most likely intended name. The given name may have a word too many or too few (`LOG_LEVEL`, `TTL`), or up to half
 * of it may be mistyped.
 */
function nearest(name: string, known: string[]): string | undefined {
  const suffix = name.slice(PREFIX.length)
  const sameWords = known.filter((other) => sharesWords(suffix, other.slice(PREFIX.length)))
  const candidates =
    sameWords.length > 0 ? sameWords : known.filter((other) => isMistyped(suffix, other.slice(PREFIX.length)))
  // Of two names at the same distance, the longer one has more words in common.
  return candidates.toSorted((a, b) => distance(name, a) - distance(name, b) || b.length - a.length)[0]
}

function isMistyped(a: string, b: string): boolean {
  return distance(a, b) <= Math.max(a.length, b.length) / 2
}

/** Whether one name contains every word of the other. */
function sharesWords(a: string, b: string): boolean {
  const [x, y] = [new Set(a.split('_')), new Set(b.split('_'))]
  return x.isSubsetOf(y) || y.isSubsetOf(x)
}
