import type { Store } from '../store.ts'
import type { PastDelivery } from './past-delivery.ts'

interface Reading {
  toMovePast(...asked: Parameters<Store['movePast']>): Promise<{ moves: readonly PastDelivery[]; after: number | null }>
}

/** `seen`: how many of the given it came to. */
export interface MovedPast {
  moved: number
  seen: number
}

/** Chosen off the writer, which only compares and writes. */
export function createPastMoving(
  reading: Reading,
  move: (moves: readonly PastDelivery[]) => Promise<MovedPast>,
): Store['movePast'] {
  return async (after, before, limit) => {
    const chosen = await reading.toMovePast(after, before, limit)
    if (chosen.moves.length === 0) return { moved: 0, after: chosen.after }
    const { moved, seen } = await move(chosen.moves)
    const isWhole = seen === chosen.moves.length
    return { moved, after: isWhole ? chosen.after : (chosen.moves[seen - 1]?.id ?? after) }
  }
}
