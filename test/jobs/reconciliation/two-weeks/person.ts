import { expect } from 'vitest'
import type { StoredGap } from '../../../../src/domain/completeness/gap.ts'
import { asking } from '../../../cli/run.ts'
import type { Played } from './play.ts'
import { postWebhook } from './post-webhook.ts'
import { UNLISTED, type WorldAtSpeed } from './world-at-speed.ts'

export async function gapsIn({ hub }: WorldAtSpeed, state: StoredGap['state']): Promise<StoredGap[]> {
  return (await hub.admin<{ gaps: StoredGap[] }>(`gaps?state=${state}&limit=500`)).gaps
}

/** The contact at the platform sends again what its log had erased, and no list tells enough of. */
export async function sentAgain({ hub }: WorldAtSpeed, { erased }: Played): Promise<void> {
  for (const { kind, webhookEventId, payload } of erased) await postWebhook(hub.url, kind, webhookEventId, payload)
}

/** A person says of the stretches that nothing can prove what was done about them. Gives how many those were. */
export async function explainExpired({ hub }: WorldAtSpeed): Promise<number> {
  for (const kind of UNLISTED) {
    const why = 'the platform has sent again what it had not delivered'
    const { code, err } = await asking(hub)(
      'gaps',
      'explain',
      '--cause',
      'not-looked-at',
      '--kind',
      kind,
      '--reason',
      why,
    )
    expect([code, err]).toEqual([0, ''])
  }
  return UNLISTED.length
}

/** The platform's log does not verify the orders that it has erased: a store confirms them, and a person lets them go. Gives how many. */
export async function releaseOrders({ hub }: WorldAtSpeed): Promise<number> {
  const path = 'deliveries?state=held&destination=shop&limit=500'
  const { deliveries } = await hub.admin<{ deliveries: { id: number; code: string }[] }>(path)
  for (const { id, code } of deliveries) {
    expect(code).toBe('not-verified')
    await asking(hub)('deliveries', 'release', String(id), '--reason', 'the store confirms it')
  }
  return deliveries.length
}
