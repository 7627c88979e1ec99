import type { Lane } from '../../domain/lane.ts'

/** The lanes of deliveries, each once. */
export function lanesOf(those: readonly Lane[]): Lane[] {
  const lanes = those.map(({ destination, urgency }) => ({ destination, urgency }))
  return [...new Map(lanes.map((lane) => [nameOf(lane), lane])).values()]
}

/** A lane as the key of a table. */
export function nameOf({ destination, urgency }: Lane): string {
  return `${urgency} ${destination}`
}
