/** The size of a reusable buffer, in bytes. Most pages fit. */
const BUFFER_BYTES = 524_288

/** The maximum number of spare buffers of a thread: 4 MB. */
const MAX_SPARE_BUFFERS = 8

/** Buffers of earlier bodies in this thread. Reusing them avoids the page faults of new memory. */
const ofThisThread: ArrayBuffer[] = []

/** Collects the chunks of a body in contiguous memory, up to `maxBytes`. */
export class BodyBuffer implements Disposable {
  /** The only chunk so far, or a buffer that this object owns. */
  #memory: Uint8Array = new Uint8Array()
  #isOwned = false
  #size = 0

  constructor(
    private readonly maxBytes: number,
    private readonly spare = ofThisThread,
  ) {}

  /** A view of the bytes so far, valid until the next `append`. */
  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#size)
  }

  get size(): number {
    return this.#size
  }

  get isFull(): boolean {
    return this.#size === this.maxBytes
  }

  /** Adds as much of the chunk as fits. */
  append(chunk: Uint8Array): void {
    const room = this.maxBytes - this.#size
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk
    if (this.#size === 0) {
      this.#memory = kept
    } else {
      this.#grow(this.#size + kept.length)
      this.#memory.set(kept, this.#size)
    }
    this.#size += kept.length
  }

  /** Empties the body. Later bodies may reuse its buffer. */
  [Symbol.dispose](): void {
    this.#release()
    this.#memory = new Uint8Array()
    this.#isOwned = false
    this.#size = 0
  }

  #grow(size: number): void {
    if (this.#isOwned && size <= this.#memory.length) return
    const memory = this.#allocate(size)
    memory.set(this.bytes)
    this.#release()
    this.#memory = memory
    this.#isOwned = true
  }

  /** Returns an uncleared buffer of at least `size` bytes. */
  #allocate(size: number): Uint8Array {
    let length = BUFFER_BYTES
    // Not allocated by Content-Length, which can be wrong.
    while (length < size) length *= 2
    const reused = length === BUFFER_BYTES ? this.spare.pop() : undefined
    return new Uint8Array(reused ?? Buffer.allocUnsafeSlow(length).buffer)
  }

  #release(): void {
    if (!this.#isOwned) return
    // `transfer` detaches all views of the buffer, so that none of them can read a later body.
    const memory = (this.#memory.buffer as ArrayBuffer).transfer()
    if (memory.byteLength === BUFFER_BYTES && this.spare.length < MAX_SPARE_BUFFERS) this.spare.push(memory)
  }
}
