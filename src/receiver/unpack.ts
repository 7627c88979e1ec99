import { decode, type Room } from './decode.ts'
import { packingOf } from './packing.ts'

/** Packings in one another at most: each is work, and more were never seen. */
const MOST = 3

/**
 * A body without what it is packed in. The header may be wrong (a proxy packs or unpacks, and leaves it alone), and a webhook is
 * not sent again: what begins as gzip is read as gzip, whatever is said of it. Null: it cannot be unpacked, and may be plain.
 */
export async function unpack(
  raw: Buffer,
  header: string | undefined,
  room: Room,
): Promise<Buffer | 'too-large' | 'over-budget' | null> {
  const packing = packingOf(header)
  const said = packing.length > MOST ? null : await without(packing, raw, room)
  let plain = said ?? (isGzip(raw) ? raw : null)
  for (let n = 0; n < MOST && isGzip(plain); n++) plain = await decode(plain, 'gzip', room)
  return isGzip(plain) ? null : plain
}

async function without(packing: readonly string[], raw: Buffer, room: Room) {
  let plain: Awaited<ReturnType<typeof decode>> = raw
  for (const coding of packing.toReversed()) {
    if (!Buffer.isBuffer(plain)) return plain
    plain = await decode(plain, coding, room)
  }
  return plain
}

/** No text begins so. */
function isGzip(bytes: unknown): bytes is Buffer {
  return Buffer.isBuffer(bytes) && bytes[0] === 0x1f && bytes[1] === 0x8b
}
