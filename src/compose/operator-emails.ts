import type { Config } from '../config.ts'

/**
 * The email addresses of the operators. Without a provider and without URLMETA_ADMIN_EMAILS it is a fixed local
 * address, for which `serve` prints a sign-in link at its start: only someone with access to the server can create such
 * links.
 */
export function operatorEmails({ adminEmails, providers }: Config): readonly string[] {
  if (adminEmails.length > 0) return adminEmails
  return providers.length === 0 ? [LOCAL_OPERATOR] : []
}

/** `.internal` is reserved for private use, so no mailbox can have this address. */
const LOCAL_OPERATOR = 'operator@urlmeta.internal'
