import type { Store } from '../store.ts'
import type { PastDelivery } from './past-delivery.ts'

interface Reading {
  toMovePast(...asked: Parameters<Store['movePast']>): Promise<{ moves: readonly PastDelivery[]; after: number | null }>
}

/** What goes to the past is chosen beside the writer, which has only to compare and to write. */
export function createPastMoving(
  reading: Reading,
  move: (moves: readonly PastDelivery[]) => Promise<number>,
): Store['movePast'] {
  return async (after, before, limit) => {
    const chosen = await reading.toMovePast(after, before, limit)
    const moved = chosen.moves.length === 0 ? 0 : await move(chosen.moves)
    return { moved, after: chosen.after }
  }
}
