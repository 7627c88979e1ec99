import type { Flow } from '../../flows/flow.ts'
import { canCarryOut, type Routable } from '../../inbox/route.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Witness } from './witness.ts'

/** Says at start which destinations would get steps that are held for want of anybody's word but the webhook's. */
export function nameNotBorneOut(
  witness: Witness,
  flows: readonly Flow[],
  destinations: readonly Routable[],
  logger: Logger,
): void {
  if (witness !== 'nobody') return
  const claiming = flows.filter(({ claims }) => claims !== undefined)
  const held = destinations.filter((one) => claiming.some((flow) => canCarryOut(one, flow))).map(({ name }) => name)
  if (held.length > 0) logger.warn({ destinations: held, todo: REMEDY }, 'hub.orders-not-borne-out')
}

const REMEDY =
  'the platform cannot be asked, so what webhooks say of orders and refunds is held: set platform.baseUrl and its keys, or platform.trustWebhooks: true'
