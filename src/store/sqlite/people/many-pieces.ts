/** Shorter pieces are looked for one by one: what steps over bytes can step no farther than the shortest is long. */
const SHORTEST = 4

/** So few are found sooner one by one. */
const FEW = 3

/** Calls back with where each piece stands in these bytes, and with its number. */
export type FindPieces = (bytes: Buffer, tell: (at: number, nth: number) => void) => void

/**
 * Finds several pieces in one walk over bytes (Wu and Manber): two bytes at the end of a window say how far it may move on, because no
 * piece has them nearer. A pass for each piece over a store of ten million events would take minutes.
 */
export function findPieces(pieces: readonly Buffer[]): FindPieces {
  const numbered = pieces.map((piece, nth) => ({ piece, nth }))
  const long = numbered.filter(({ piece }) => piece.length >= SHORTEST)
  const [alone, together] = long.length <= FEW ? [numbered, []] : [numbered.filter((one) => !long.includes(one)), long]
  const walk = together.length === 0 ? null : createWalk(together)
  return (bytes, tell) => {
    for (const { piece, nth } of alone)
      for (let at = bytes.indexOf(piece); at >= 0; at = bytes.indexOf(piece, at + 1)) tell(at, nth)
    walk?.(bytes, tell)
  }
}

interface Numbered {
  piece: Buffer
  nth: number
}

function createWalk(pieces: readonly Numbered[]): FindPieces {
  const width = Math.min(...pieces.map(({ piece }) => piece.length))
  const steps = new Uint8Array(65_536).fill(Math.min(width - 1, 255))
  const ending = new Map<number, Numbered[]>()
  for (const one of pieces)
    for (let at = 1; at < width; at++) {
      const pair = pairAt(one.piece, at)
      steps[pair] = Math.min(steps[pair] ?? 0, width - 1 - at)
      if (at === width - 1) ending.set(pair, [...(ending.get(pair) ?? []), one])
    }
  return (bytes, tell) => {
    const { length } = bytes
    for (let at = width - 1; at < length; ) {
      const pair = pairAt(bytes, at)
      const step = steps[pair] ?? 1
      if (step > 0) {
        at += step
        continue
      }
      const from = at - width + 1
      for (const { piece, nth } of ending.get(pair) ?? []) if (standsAt(bytes, from, piece)) tell(from, nth)
      at += 1
    }
  }
}

function pairAt(bytes: Buffer, at: number): number {
  return ((bytes[at - 1] ?? 0) << 8) | (bytes[at] ?? 0)
}

function standsAt(bytes: Buffer, from: number, piece: Buffer): boolean {
  for (let at = 0; at < piece.length; at++) if (bytes[from + at] !== piece[at]) return false
  return true
}
