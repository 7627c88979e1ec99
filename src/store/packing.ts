import type { Arrival } from './arrival.ts'

export type PackedArrival = Omit<Arrival, 'body'> & { size: number }

/**
 * One buffer for all bodies (a body is often a slice of a large one, which would be cloned whole); JSON for the rest
 * takes half the time of structured clone.
 */
export function pack(arrivals: readonly Arrival[]): { packed: string; bodies: Uint8Array<ArrayBuffer> } {
  const bodies = new Uint8Array(arrivals.reduce((sum, arrival) => sum + arrival.body.byteLength, 0))
  let from = 0
  const packed = arrivals.map(({ body, ...rest }): PackedArrival => {
    bodies.set(body, from)
    from += body.byteLength
    return { ...rest, size: body.byteLength }
  })
  return { packed: JSON.stringify(packed), bodies }
}

export function unpack(packed: string, bodies: Uint8Array): Arrival[] {
  let from = 0
  return (JSON.parse(packed) as PackedArrival[]).map(({ size, ...arrival }) => {
    from += size
    return { ...arrival, body: bodies.subarray(from - size, from) }
  })
}
