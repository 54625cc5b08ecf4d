/** `5.2 MB`, `830 KB`, `512 bytes`: a weight as people write it, in units of 1,024. */
export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`
  if (bytes < 1_024 * 1_024) return `${Math.round(bytes / 1_024)} KB`
  return `${Number((bytes / 1_024 / 1_024).toFixed(1))} MB`
}

/** `5.2 MB, over 5 MB`; `over 5 MB` where rounding leaves no difference. */
export function overText(bytes: number, limit: number): string {
  const [actual, most] = [bytesText(bytes), bytesText(limit)]
  return actual === most ? `over ${most}` : `${actual}, over ${most}`
}
