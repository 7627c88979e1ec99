import { createHash, hash } from 'node:crypto'

/** What rows amount to in a hash. */
export interface Digest {
  /** A row: these bytes of a buffer that may change afterwards. */
  add(buffer: Buffer, from: number, to: number): void
  /** 64 hex digits. Nothing is added afterwards. */
  value(): string
}

/** Bytes that are hashed together: a call for each row takes several times as long. */
const TOGETHER = 64 * 1024

/** SHA-256 over rows one after the other: of rows that file and server have in the same order. */
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

/**
 * The sum of the SHA-256 of each row: the same in whatever order they come. A server sorts texts by the rules of a language,
 * and has signs replaced that no text of its own can hold.
 */
export function createSummedDigest(): Digest {
  let sum = 0n
  return {
    add(buffer, from, to) {
      sum += BigInt(`0x${hash('sha256', buffer.subarray(from, to))}`)
    },
    value: () => BigInt.asUintN(256, sum).toString(16).padStart(64, '0'),
  }
}
