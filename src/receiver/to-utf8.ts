import { isUtf8 } from 'node:buffer'

/**
 * JSON is UTF-8, whatever a header claims; but a body that is truly written in another declared charset is translated,
 * so that everything behind this door may rely on UTF-8, without a byte order mark.
 */
export function toUtf8(bytes: Buffer, contentType: string | undefined): Buffer {
  const charset = /charset="?([\w-]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase()
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return withoutMark(bytes)
  if (isUtf8(bytes) && !bytes.includes(0)) return withoutMark(bytes)
  try {
    return Buffer.from(new TextDecoder(orderOf(bytes, charset), { fatal: true }).decode(bytes))
  } catch {
    return bytes
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/** Plain `utf-16` leaves it to the mark at its start which byte of two comes first. */
function orderOf(bytes: Buffer, charset: string): string {
  return charset === 'utf-16' && bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : charset
}
