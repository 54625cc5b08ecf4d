/** The size of the smallest buffer, in bytes. Most pages fit. Longer ones get twice as much, four times as much … */
const MIN_BUFFER_BYTES = 262_144

/** The maximum size of all spare buffers of a thread, in bytes. */
const MAX_SPARE_BYTES = 4 * 1024 * 1024

/** Collects the chunks of a body in contiguous memory, up to `maxBytes`. */
export class BodyBuffer implements Disposable {
  /** The first chunk while it is the only one, then a buffer that grows. */
  #memory: Uint8Array = new Uint8Array()
  #isOnlyChunk = true
  #size = 0

  constructor(private readonly maxBytes: number) {}

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

  /** Leaves the memory to later bodies. All views of `bytes` become empty. */
  [Symbol.dispose](): void {
    if (!this.#isOnlyChunk) spareBuffers.give(this.#memory)
    this.#memory = new Uint8Array()
    this.#isOnlyChunk = true
    this.#size = 0
  }

  #grow(size: number): void {
    if (!this.#isOnlyChunk && size <= this.#memory.length) return
    const memory = spareBuffers.take(size)
    memory.set(this.bytes)
    if (!this.#isOnlyChunk) spareBuffers.give(this.#memory)
    this.#memory = memory
    this.#isOnlyChunk = false
  }
}

/** Memory of earlier bodies. New memory costs more: the kernel clears and maps each page of it at the first write. */
export class SpareBuffers {
  readonly #bySize = new Map<number, ArrayBuffer[]>()
  #bytes = 0

  /** Memory for at least `size` bytes, with any content. */
  take(size: number): Uint8Array {
    let bufferBytes = MIN_BUFFER_BYTES
    while (bufferBytes < size) bufferBytes *= 2
    const spare = this.#bySize.get(bufferBytes)?.pop()
    if (spare === undefined) return Buffer.allocUnsafeSlow(bufferBytes)
    this.#bytes -= bufferBytes
    return new Uint8Array(spare)
  }

  /** Keeps a buffer for later, unless there are enough. All its views become empty, so that none can show a later body. */
  give({ buffer }: Uint8Array): void {
    const memory = (buffer as ArrayBuffer).transfer()
    if (this.#bytes + memory.byteLength > MAX_SPARE_BYTES) return
    this.#bytes += memory.byteLength
    const spare = this.#bySize.get(memory.byteLength) ?? []
    this.#bySize.set(memory.byteLength, spare)
    spare.push(memory)
  }
}

/** The spare memory of this thread. */
const spareBuffers = new SpareBuffers()
