/** `5.2 MB`, `830 KB`, `512 bytes`: a size for display, in units of 1,024. */
export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`
  if (bytes < 1_024 * 1_024) return `${Math.round(bytes / 1_024)} KB`
  return `${Number((bytes / 1_024 / 1_024).toFixed(1))} MB`
}

/** `5.2 MB, over 5 MB`; only `over 5 MB` if both sizes round to the same text. */
export function overText(bytes: number, limit: number): string {
  const [actual, maximum] = [bytesText(bytes), bytesText(limit)]
  return actual === maximum ? `over ${maximum}` : `${actual}, over ${maximum}`
}
