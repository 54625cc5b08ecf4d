/** Bytes that count how often one of them is read, individually or by a search. */
export interface CountedBytes {
  bytes: Uint8Array
  steps(): number
}

/** A subarray counts in full, because its user reads it. */
export function countedBytes(text: string): CountedBytes {
  const source = new TextEncoder().encode(text)
  let steps = 0
  const methods: Record<string, unknown> = {
    indexOf(byte: number, from = 0) {
      const found = source.indexOf(byte, from)
      steps += (found < 0 ? source.length : found + 1) - from
      return found
    },
    subarray(start = 0, end = source.length) {
      const part = source.subarray(start, end)
      steps += part.length
      return part
    },
  }
  const bytes = new Proxy(source, {
    get(target, property) {
      if (property === 'length') return target.length
      if (typeof property === 'string' && /^\d+$/.test(property)) {
        steps++
        return target[Number(property)]
      }
      const method = methods[property as string]
      // Using a method that is not counted is an error.
      if (method === undefined) throw new Error(`${String(property)} of the bytes is not counted`)
      return method
    },
  })
  return { bytes, steps: () => steps }
}
