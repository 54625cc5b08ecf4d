/** The number of bits of a length, by the number before it. */
const LENGTH_BITS = [9, 13, 18, 30]

/** The width divided by the height, by the number after the height; 0 if the width follows. */
const RATIOS = [0, 1, 6 / 5, 4 / 3, 3 / 2, 16 / 9, 5 / 4, 2]

/** The signature of the codestream, which may be in a box, or of its first part in one. */
const CODESTREAM = /(?<=^|jxlc|jxlp.{4})\xff\n/s

/** Of the signature and everything up to the orientation, at most. */
const HEADER_BYTES = 12

/** The stored size of a JPEG XL (ISO/IEC 18181-1, sections D.2 and D.3); null if it is cut off. */
export function jxlSize(file: Buffer) {
  const start = file.toString('latin1').search(CODESTREAM)
  if (start < 0 || start + HEADER_BYTES > file.length) return null
  let bits = file.readBigUInt64LE(start + 2) | (BigInt(file.readUInt16LE(start + 10)) << 64n)
  const read = (count: number) => {
    const value = Number(BigInt.asUintN(count, bits))
    bits >>= BigInt(count)
    return value
  }
  const isSmall = read(1) === 1
  const length = () => (isSmall ? (read(5) + 1) * 8 : read(LENGTH_BITS[read(2)]!) + 1)
  const height = length()
  const width = Math.floor(height * RATIOS[read(3)]!) || length()
  // Two flags: whether all metadata has its default, and whether there is an orientation.
  return { width, height, orientation: read(1) === 0 && read(1) === 1 ? read(3) + 1 : 1 }
}
