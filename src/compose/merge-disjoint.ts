/** None of the names of `Part`. */
type Without<Part> = Partial<Record<keyof Part & string, never>>

/** Merges two objects. A name that both have does not compile, because one value would replace the other. */
export const mergeDisjoint = <A extends object, B extends object>(a: A, b: B & Without<A>): A & B => ({ ...a, ...b })
