/**
 * Hands the resources of a stack on with the parts that use them: disposing the result closes the resources in reverse
 * order.
 */
export function owning<Parts extends object>(stack: AsyncDisposableStack, parts: Parts): Parts & AsyncDisposable {
  const owned = stack.move()
  return { ...parts, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
