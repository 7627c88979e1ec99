/** Chance that can be had again: the same seed gives the same throws. */
export interface Dice {
  /** From 0 to below 1. */
  roll(): number
  /** A whole number from 0 to below `sides`. */
  upTo(sides: number): number
  oneIn(sides: number): boolean
  pick<T>(from: readonly [T, ...T[]]): T
  /** So many bytes of any value. */
  bytes(count: number): Buffer
}

/** Marsaglia's xorshift, 32 bits. */
export function createDice(seed: number): Dice {
  let state = seed | 0 || 1
  const roll = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 0x1_0000_0000
  }
  const upTo = (sides: number) => Math.floor(roll() * sides)
  return {
    roll,
    upTo,
    oneIn: (sides) => upTo(sides) === 0,
    pick: (from) => from[upTo(from.length)] ?? from[0],
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => upTo(256))),
  }
}
