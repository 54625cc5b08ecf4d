/** Numbers that depend only on a seed. */
export interface Random {
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number
  of<T>(values: readonly T[]): T
  /** Four times of five, `usual`. */
  mostly<T>(usual: T, others: readonly T[]): T
}

export function randomOf(seed: number): Random {
  let count = 0
  const below = (limit: number) => Number(BigInt(Bun.hash(String(count++), seed)) % BigInt(limit))
  const of = <T>(values: readonly T[]) => values[below(values.length)]!
  return { below, of, mostly: (usual, others) => (below(5) > 0 ? usual : of(others)) }
}
