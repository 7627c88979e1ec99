import { DIRECTORY, keyPart } from '../../domain/queue/event.ts'

/** The mark of a customer who was dropped from the directory, as a row of `acknowledged`: an old sale is not to bring them back. */
export const DROPPED = { destination: DIRECTORY, flow: 'drop' } as const

/** The subject of such a mark. */
export function droppedSubject(customerId: string): string {
  return `customer:${keyPart(customerId)}`
}
