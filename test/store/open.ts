/** Opens a new and empty store; the test that opens it disposes it. */
export type Open<Store> = () => (Store & Disposable) | Promise<Store & AsyncDisposable>
