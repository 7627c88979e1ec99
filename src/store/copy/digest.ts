import { createHash, hash } from 'node:crypto'

/** A hash over rows. */
export interface Digest {
  /** Copies: the buffer may change afterwards. */
  add(buffer: Buffer, from: number, to: number): void
  /** Hex; final. */
  value(): string
}

/** A hash call per row takes several times as long. */
const TOGETHER = 64 * 1024

/** SHA-256 in order, for rows that both sides sort alike. */
export function createOrderedDigest(): Digest {
  const sha = createHash('sha256')
  const held = Buffer.allocUnsafe(TOGETHER)
  let at = 0
  function flush() {
    sha.update(held.subarray(0, at))
    at = 0
  }
  return {
    add(buffer, from, to) {
      if (to - from > held.length - at) flush()
      if (to - from > held.length) sha.update(buffer.subarray(from, to))
      else at += buffer.copy(held, at, from, to)
    },
    value() {
      flush()
      return sha.digest('hex')
    },
  }
}

/** Sum of each row's SHA-256: independent of order, as text collations differ. */
export function createSummedDigest(): Digest {
  let sum = 0n
  return {
    add(buffer, from, to) {
      sum += BigInt(`0x${hash('sha256', buffer.subarray(from, to))}`)
    },
    value: () => BigInt.asUintN(256, sum).toString(16).padStart(64, '0'),
  }
}
