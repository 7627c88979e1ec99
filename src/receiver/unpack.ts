import { free } from '../lib/thread.ts'
import type { Share } from './budget.ts'
import { createDecoder, type Decoder, hasManyMembers } from './decoders.ts'
import { packingOf } from './packing.ts'

/** The size above which a body is decoded only while no other such is (bytes): a few of them would take every processor, and much memory. */
const SMALL = 64 * 1024

/** Bytes that are decoded before they are counted. */
const STEP = SMALL

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

interface Room {
  /** Bytes at most. */
  limit: number
  share: Pick<Share, 'take' | 'alone'>
}

/**
 * Decompresses a body step by step, so that a few bytes which become many are stopped as soon as they are too many. Null: it is
 * not what its encoding says, or it says so of a part of it only.
 */
async function decode(
  raw: Buffer,
  encoding: string,
  { limit, share }: Room,
): Promise<Buffer | 'too-large' | 'over-budget' | null> {
  if (encoding === 'gzip' && hasManyMembers(raw)) return null
  const small = await upTo(Math.min(SMALL, limit), decoderOf(encoding, raw), raw, () => true)
  if (small !== 'too-large' || limit <= SMALL) return small
  // The decoding begins anew when it is its turn: a decoder that waits would hold its window meanwhile.
  return await share.alone(() => upTo(limit, decoderOf(encoding, raw), raw, share.take))
}

/** Some write deflate without the frame that HTTP asks for: its first byte tells. */
function decoderOf(encoding: string, raw: Buffer): Decoder | null {
  const isFramed = ((raw[0] ?? 0) & 0x0f) === 8
  return createDecoder(encoding === 'deflate' && !isFramed ? 'deflate-raw' : encoding, STEP)
}

async function upTo(
  limit: number,
  decoder: Decoder | null,
  raw: Buffer,
  take: Share['take'],
): Promise<Buffer | 'too-large' | 'over-budget' | null> {
  if (!decoder) return null
  const chunks: Buffer[] = []
  let size = 0
  try {
    decoder.end(raw)
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      size += chunk.byteLength
      if (size > limit) return 'too-large'
      if (!take(chunk.byteLength)) return 'over-budget'
      chunks.push(chunk)
    }
    // A decoder stops at the end of what is compressed and says nothing of the bytes behind it: they would be lost.
    return decoder.bytesWritten === raw.byteLength ? Buffer.concat(chunks) : null
  } catch {
    return null
  } finally {
    for (const chunk of chunks) free(chunk)
    decoder.destroy()
  }
}
