/** The size of a reusable buffer, in bytes. Most pages fit. */
const BUFFER_BYTES = 524_288

/** The maximum number of spare buffers of a thread: 4 MB. */
const MAX_SPARE_BUFFERS = 8

/** Memory of earlier bodies of this thread. New memory costs more: the kernel clears and maps each part at its first use. */
const ofThisThread: ArrayBuffer[] = []

/** Collects the chunks of a body in contiguous memory, up to `maxBytes`. */
export class BodyBuffer implements Disposable {
  /** The first chunk while it is the only one, then memory of our own, which grows. */
  #memory: Uint8Array = new Uint8Array()
  #isOurs = false
  #size = 0

  constructor(
    private readonly maxBytes: number,
    private readonly spare = ofThisThread,
  ) {}

  /** The bytes so far; a view that is valid until the next `append`. */
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

  /** Empties the body and leaves its memory to later ones. */
  [Symbol.dispose](): void {
    this.#release()
    this.#memory = new Uint8Array()
    this.#isOurs = false
    this.#size = 0
  }

  #grow(size: number): void {
    if (this.#isOurs && size <= this.#memory.length) return
    const memory = this.#allocate(size)
    memory.set(this.bytes)
    this.#release()
    this.#memory = memory
    this.#isOurs = true
  }

  /** Memory for at least `size` bytes, with arbitrary content. */
  #allocate(size: number): Uint8Array {
    let length = BUFFER_BYTES
    // Doubled, because a Content-Length cannot be trusted.
    while (length < size) length *= 2
    const reused = length === BUFFER_BYTES ? this.spare.pop() : undefined
    return new Uint8Array(reused ?? Buffer.allocUnsafeSlow(length).buffer)
  }

  #release(): void {
    if (!this.#isOurs) return
    // Moving the memory empties all views of it, so that none of them can show a later body.
    const memory = (this.#memory.buffer as ArrayBuffer).transfer()
    if (memory.byteLength === BUFFER_BYTES && this.spare.length < MAX_SPARE_BUFFERS) this.spare.push(memory)
  }
}
