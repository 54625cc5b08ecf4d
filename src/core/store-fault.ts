import faults from './store-faults.json'

/** Why a database cannot be used, for messages, `/readyz` and `urlmeta doctor`. */
export type StoreFault = keyof typeof faults

interface Explanation {
  /** The problem, as part of a sentence. Without paths or other internals, because `/readyz` is public. */
  text: string
  /** The action that an operator should take. */
  remedy: string
}

export const STORE_FAULTS: Record<StoreFault, Explanation> = faults

/** `cause` is the database's own error. */
export class StoreError extends Error {
  override name = 'StoreError'
  constructor(
    readonly fault: StoreFault,
    /** `detail` is for operators, so it is only given while the server does not run. */
    { detail, ...options }: ErrorOptions & { detail?: string } = {},
  ) {
    super(detail === undefined ? STORE_FAULTS[fault].text : `${STORE_FAULTS[fault].text} (${detail})`, options)
  }
}

/** The message with the database server's own error, for operators only. */
export function messageWithCause({ message, cause }: StoreError): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
