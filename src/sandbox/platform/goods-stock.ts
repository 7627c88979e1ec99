/** How much of a size is in a stock, and since when. */
export interface Level {
  stockId: number
  identity: string
  quantity: number
  /** Milliseconds since 1970. */
  changedAt: number
}

/** The stock levels. Nobody is told of a change here: who moves goods tells. */
export function createStock(now: () => number) {
  const levels = new Map<string, Level>()
  return {
    levels: (): Level[] => [...levels.values()],

    /** 0, if nothing of it ever was in this stock. */
    level: (stockId: number, identity: string): number => levels.get(`${stockId}/${identity}`)?.quantity ?? 0,

    /** Gives the level after it; it may be below 0, as in a store that sells what was never delivered. */
    add(stockId: number, identity: string, quantity: number): number {
      const level = this.level(stockId, identity) + quantity
      levels.set(`${stockId}/${identity}`, { stockId, identity, quantity: level, changedAt: now() })
      return level
    },
  }
}

export type Stock = ReturnType<typeof createStock>
