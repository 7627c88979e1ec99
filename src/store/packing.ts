import type { Arrival } from './arrival.ts'

/** An arrival on its way to another thread: all bodies of a list travel in one buffer. */
export type PackedArrival = Omit<Arrival, 'body'> & { size: number }

/**
 * Bodies go over in one buffer of their own: a body is often a slice of a large one, which would be copied whole. The
 * rest goes over as JSON text, which takes about half of the time of cloning the objects.
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

/** The list that was packed. */
export function unpack(packed: string, bodies: Uint8Array): Arrival[] {
  let from = 0
  return (JSON.parse(packed) as PackedArrival[]).map(({ size, ...arrival }) => {
    from += size
    return { ...arrival, body: bodies.subarray(from - size, from) }
  })
}
