import { DIRECTORY, keyPart } from '../../domain/queue/event.ts'

/** The mark of a dropped customer, a row of `acknowledged`: old sales must not bring them back. */
export const DROPPED = { destination: DIRECTORY, flow: 'drop' } as const

export function droppedSubject(customerId: string): string {
  return `customer:${keyPart(customerId)}`
}
