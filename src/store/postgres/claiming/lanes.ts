import { type Lane, nameOfLane } from '../../../domain/queue/lane.ts'

export function lanesOf(those: readonly Lane[]): Lane[] {
  const lanes = those.map(({ destination, urgency }) => ({ destination, urgency }))
  return [...new Map(lanes.map((lane) => [nameOfLane(lane), lane])).values()]
}
