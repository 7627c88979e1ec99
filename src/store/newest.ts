/** A delivery that has not been made, among those alike of which only the newest is. */
export interface Undone {
  id: number
  eventId: number
  version: number | null
}

/** The delivery whose event arrives later is newer, unless both say by their version which is. */
function isNewer(a: Undone, b: Undone): boolean {
  const versioned = a.version !== null && b.version !== null && a.version !== b.version
  return versioned ? Number(a.version) > Number(b.version) : a.eventId > b.eventId
}

/** The one that is to be made. Throws where there is none. */
export function newestOf<One extends Undone>(alike: readonly One[]): One {
  return alike.reduce((a, b) => (isNewer(b, a) ? b : a))
}
