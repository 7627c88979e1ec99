/** A pending delivery of a group of which only the newest is made. */
export interface Undone {
  id: number
  eventId: number
  version: number | null
}

/** By version where both have one, else by order of events. */
function isNewer(a: Undone, b: Undone): boolean {
  const versioned = a.version !== null && b.version !== null && a.version !== b.version
  return versioned ? Number(a.version) > Number(b.version) : a.eventId > b.eventId
}

export function newestOf<One extends Undone>(alike: readonly One[]): One {
  return alike.reduce((a, b) => (isNewer(b, a) ? b : a))
}
