/** A frame of a server, which is not masked. */
export function serverFrame(payload: string | Buffer, { opcode = 1, isLast = true } = {}): Buffer {
  const bytes = Buffer.from(payload)
  const { length } = bytes
  const header = Buffer.alloc(length > 0xffff ? 10 : length > 125 ? 4 : 2)
  header[0] = (isLast ? 0x80 : 0) | opcode
  header[1] = length > 0xffff ? 127 : length > 125 ? 126 : length
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2)
  if (header.length === 4) header.writeUInt16BE(length, 2)
  return Buffer.concat([header, bytes])
}
