import { Html } from '@elysiajs/html'

import { TextArea, TextField } from './form.tsx'

/** The settings of a key as typed, with the error of each field. */
export interface KeyFields {
  name: string
  /** `2027-01-31`, or ''. */
  expires: string
  /** One per line. */
  hosts: string
  addresses: string
  errors: { name?: string; expires?: string; hosts?: string; addresses?: string }
}

/** The optional settings of a key. */
export function KeyRestrictionFields({ fields }: { fields: KeyFields }) {
  const { expires, hosts, addresses, errors } = fields
  return (
    <>
      <TextField
        name="expires"
        label="Expires after"
        type="date"
        value={expires}
        error={errors.expires ?? ''}
        hint="The last day on which the key works (UTC). Leave empty for no expiry."
      />
      <TextArea
        name="hosts"
        label="Allowed hosts"
        value={hosts}
        error={errors.hosts ?? ''}
        hint="The only hosts whose pages may be requested, one per line: example.com or *.example.com. Leave empty to allow any host."
      />
      <TextArea
        name="addresses"
        label="Allowed client addresses"
        value={addresses}
        error={errors.addresses ?? ''}
        hint="The only IP addresses that may use the key, one per line: 192.0.2.7 or 10.0.0.0/8. Leave empty to allow any address."
      />
    </>
  )
}

/** Whether one of the optional fields has content or an error, so that the fields must be visible. */
export function hasRestrictions({ expires, hosts, addresses, errors }: KeyFields): boolean {
  return [expires, hosts, addresses, errors.expires, errors.hosts, errors.addresses].some(Boolean)
}
