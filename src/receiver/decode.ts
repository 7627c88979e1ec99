import { free } from '../lib/thread.ts'
import type { Share } from './budget.ts'
import { createDecoder, type Decoder, hasManyMembers } from './decoders.ts'

export interface Room {
  /** Bytes at most. */
  limit: number
  share: Pick<Share, 'take' | 'alone'>
}

/** The size above which a body is decoded only while no other such is (bytes): a few of them would take every processor, and much memory. */
const SMALL = 64 * 1024

/** Bytes that are decoded before they are counted. */
const STEP = SMALL

/**
 * Decompresses a body step by step, so that a few bytes which become many are stopped as soon as they are too many. Null: it is
 * not what its encoding says, or it says so of a part of it only.
 */
export async function decode(
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
