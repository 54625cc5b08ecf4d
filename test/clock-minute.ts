/** Waits until the clock minute has at least some seconds left, so that a test of a limit per minute stays within it. */
export async function withinMinute(seconds: number): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000)
  if (leftMs < seconds * 1_000) await Bun.sleep(leftMs)
}
