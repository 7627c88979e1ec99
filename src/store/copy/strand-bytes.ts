import type { Urgency } from '../../domain/queue/lane.ts'
import { nameOf } from '../postgres/claiming/owing.ts'
import { strandOf } from '../postgres/claiming/strands.ts'

/** The strand of a delivery, 16 bytes: the one that a hub on PostgreSQL would have given it. */
export function strandBytes(
  destination: string,
  urgency: Urgency,
  entity: string | null,
  event: number,
  flow: string,
  part: string,
): Buffer {
  const alone = nameOf(event, { flow, part, destination })
  return Buffer.from(strandOf({ destination, urgency }, entity, alone), 'hex')
}
