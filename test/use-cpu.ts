/** Uses the CPU of this thread for this long, in milliseconds. */
export function useCpu(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}
