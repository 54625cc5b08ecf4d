type Without<Part> = Partial<Record<keyof Part & string, never>>

/** Two parts as one. A name that both have does not compile, because one of them would replace the other. */
export const apart = <A extends object, B extends object>(a: A, b: B & Without<A>): A & B => ({ ...a, ...b })
