/** How full the disk of the store is: what the hub still does on it. */
export type DiskLevel = 'room' | 'fills' | 'no-bulk' | 'accepts-only'

/** The room on a disk, in bytes. */
export interface DiskRoom {
  free: number
  size: number
}

interface Step {
  level: DiskLevel
  /** The part of the disk that is taken. */
  taken: number
  /** A large disk has room all the same: with as much free, it is not meant (bytes). */
  unless: number
}

const GB = 1024 ** 3

/** The fullest first. */
const STEPS: readonly Step[] = [
  { level: 'accepts-only', taken: 0.98, unless: 5 * GB },
  { level: 'no-bulk', taken: 0.95, unless: 20 * GB },
  { level: 'fills', taken: 0.85, unless: 100 * GB },
]

/**
 * The level of a disk. What can be done or sent again later goes first: bulk and pulls, then every delivery and what own systems
 * submit. Webhooks are taken for as long as there is room, because nobody sends them again.
 */
export function diskLevel({ free, size }: DiskRoom): DiskLevel {
  const taken = size > 0 ? 1 - free / size : 0
  return STEPS.find((step) => taken >= step.taken && free < step.unless)?.level ?? 'room'
}
