/** `1.4 GB`, `5.2 MB`, `830 KB`, `512 bytes`: a size for display, in units of 1,024. */
export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`
  if (bytes < 1_024 ** 2) return `${Math.round(bytes / 1_024)} KB`
  if (bytes < 1_024 ** 3) return `${Number((bytes / 1_024 ** 2).toFixed(1))} MB`
  return `${Number((bytes / 1_024 ** 3).toFixed(1))} GB`
}

/** `5.2 MB, over 5 MB`; only `over 5 MB` if both sizes round to the same text. */
export function overText(bytes: number, limit: number): string {
  const [actual, maximum] = [bytesText(bytes), bytesText(limit)]
  return actual === maximum ? `over ${maximum}` : `${actual}, over ${maximum}`
}
