/** So many bytes stay as they come; most answers are no longer. */
const FEW = 2 ** 18

/** What comes after that is gathered in blocks of so many: memory of this size goes back to the system as soon as it is let go. */
const BLOCK = 2 ** 20

/** The bytes of a long body, in pieces that can be let go one by one. */
export function createPieces() {
  const pieces: Buffer[] = []
  let bytes = 0
  let block: Buffer | null = null
  let used = 0

  function gather(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (block === null || used === BLOCK) {
        if (block !== null) pieces.push(block)
        block = Buffer.allocUnsafeSlow(BLOCK)
        used = 0
      }
      const copied = chunk.copy(block, used, at)
      used += copied
      at += copied
    }
  }

  return {
    add(chunk: Buffer): void {
      bytes += chunk.length
      if (block !== null || bytes > FEW) gather(chunk)
      else pieces.push(chunk)
    },
    /** All of them; nothing may be added afterwards. */
    end(): Buffer[] {
      if (block !== null) pieces.push(block.subarray(0, used))
      block = null
      return pieces
    },
  }
}
