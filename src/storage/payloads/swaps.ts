import type { PersonalChange } from '../personal-places.ts'
import type { Reading } from '../read-models/reading.ts'
import type { Storage } from '../storage.ts'
import { BrokenBlockError, FIRST_BLOCK, type Packed, type Swap } from './block.ts'

const TRIES = 20
const CHANGED = `Payloads changed ${TRIES} times while they were about to be kept otherwise: try again.`

/** Swaps are prepared off the writer, which only compares and writes. `apply` false: changed since, nothing done. */
export function createKeeping(
  reading: Reading,
  apply: (swap: Swap) => Promise<boolean>,
): Pick<Storage, 'packPayloads' | 'dropPayloads'> & {
  rewritePayloads(changes: readonly PersonalChange[]): Promise<number>
} {
  return {
    async packPayloads(before, signal) {
      const packed: Packed = { payloads: 0, blocks: 0, bytes: 0, plainBytes: 0 }
      let problem: unknown = null
      for (const { kind, ids } of await reading.blocksToMake(before)) {
        if (signal?.aborted) break
        try {
          const swap = await reading.swapToPack(kind, ids)
          if (swap === null || !(await apply(swap))) continue
          packed.payloads += swap.rowsOut.ids.length
          packed.blocks += 1
          packed.bytes += swap.blocksIn.reduce((sum, { body }) => sum + body.byteLength, 0)
          packed.plainBytes += swap.blocksIn.reduce((sum, { size }) => sum + size, 0)
        } catch (error) {
          if (!(error instanceof BrokenBlockError)) throw error
          problem ??= error
        }
      }
      if (problem !== null && packed.payloads === 0) throw problem
      return packed
    },

    async rewritePayloads(changes) {
      for (let left = TRIES; left > 0; left--) {
        const { swap, found } = await reading.swapToRewrite(changes)
        if (await apply(swap)) return found
      }
      throw new Error(CHANGED)
    },

    async dropPayloads(which) {
      for (let left = TRIES; left > 0; left--) {
        const { drops, after } = await reading.swapsToDrop(which)
        let dropped = 0
        let isChanged = false
        for (const drop of drops) {
          if (await apply(drop.swap)) dropped += drop.dropped
          else isChanged = true
        }
        if (!isChanged) return { dropped, after }
        if (dropped > 0) return { dropped, after: which.after ?? FIRST_BLOCK }
      }
      throw new Error(CHANGED)
    },
  }
}
