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
  const stocks = new Map<number, Map<string, Level>>()
  const reserved = new Map<string, number>()

  function put(level: Level): void {
    const levels = stocks.get(level.stockId)
    if (levels) levels.set(level.identity, level)
    else stocks.set(level.stockId, new Map([[level.identity, level]]))
  }

  return {
    levels: (): Level[] => [...stocks.values()].flatMap((levels) => [...levels.values()]),

    /** Levels of everything that ever was in this stock. */
    levelsIn: (stockId: number): Level[] => [...(stocks.get(stockId)?.values() ?? [])],

    /** Levels of one size, in each stock that ever had it. */
    levelsOf: (identity: string): Level[] => [...stocks.values()].flatMap((levels) => levels.get(identity) ?? []),

    /** 0, if nothing of it ever was in this stock. */
    level: (stockId: number, identity: string): number => stocks.get(stockId)?.get(identity)?.quantity ?? 0,

    /** Gives the level after it; it may be below 0, as in a store that sells what was never delivered. */
    add(stockId: number, identity: string, quantity: number): number {
      const level = this.level(stockId, identity) + quantity
      put({ stockId, identity, quantity: level, changedAt: now() })
      return level
    },

    /** How much of the level is kept for somebody. */
    reserved: (stockId: number, identity: string): number => reserved.get(`${stockId}/${identity}`) ?? 0,

    /** Keeps so many for somebody; below zero, lets them go. The level stays. */
    reserve(stockId: number, identity: string, quantity: number): void {
      reserved.set(`${stockId}/${identity}`, this.reserved(stockId, identity) + quantity)
    },

    /** Takes in levels that were there before. */
    load(stockId: number, known: readonly Level[]): void {
      const levels = stocks.get(stockId) ?? new Map<string, Level>()
      for (const level of known) levels.set(level.identity, level)
      stocks.set(stockId, levels)
    },
  }
}

export type Stock = ReturnType<typeof createStock>
