/** Faults of a line that was sent. */
export interface LineFaults {
  line: number
  faults: string[]
}

/** The hub's answer to what was sent. */
export interface Taken {
  /** Null: nothing was kept. */
  id: number | null
  /** Only where the whole was taken before: `duplicate`. */
  status?: string
  lines: number
  accepted: number
  duplicates: number
  refused: number
  /** The first of them. */
  faults: LineFaults[]
}

/** The hub's answer to a rehearsal, with nothing taken. */
export interface Rehearsed {
  lines: number
  /** The number of lines that would be taken. */
  accepted: number
  refused: number
  /** The first of them. */
  faults: LineFaults[]
  /** The first ones; without a line, of the whole. */
  warnings?: { line?: number | null; sort: string; text: string }[]
  /** How many there are of each sort. */
  warningCounts?: Record<string, number>
}

/** The fate of what was taken. */
export interface Submission {
  id: number
  receivedAt?: string | number
  /** By name; of each, how many are in which state. */
  destinations: Record<string, Record<string, number>>
  /** Lines that no destination wants. */
  unrouted?: number
  done: boolean
  failed: FailedLine[]
}

export interface FailedLine {
  line: number
  entity?: string | null
  state: string
  code?: string | null
  why?: string | null
}
