import { countEffects } from '../../../../sandbox/demo/count.ts'
import { countBooks } from '../../../../sandbox/demo/count-books.ts'
import { type Row, reconcile } from '../../../../sandbox/demo/reconcile.ts'
import { countDeliveries } from './count-deliveries.ts'
import type { Played } from './play.ts'
import type { WorldAtSpeed } from './world-at-speed.ts'

/** Whatever is not as the sandbox's own books have it, receiver by receiver; and what a person is to book. */
export interface Counted {
  rows: Row[]
  wrong: Row[]
  /** Sales that were taken from their lines: how they were paid nobody knows, and the books wait for that. */
  held: string[]
}

const BOOKED = 'sales booked in the ERP'
const LEVELS = 'stock levels, mirror and platform'

/** Counts everything where it has arrived, key by key; the hub is asked for nothing but its mirror. */
export async function countAll(world: WorldAtSpeed, { posList }: Played): Promise<Counted> {
  const held = await heldSales(world)
  const all = [...countEffects(world, []), ...(await countBooks(world, posList)), await countDeliveries(world)]
  const effects = all.map((one) => {
    const { name, expected, counted } = one
    if (name === BOOKED) return { ...one, counted: [...counted, ...held] }
    // What was never moved is as it was at the beginning, and in the mirror, too.
    const moved = new Set(expected.map(locationOf))
    return name === LEVELS ? { ...one, counted: counted.filter((level) => moved.has(locationOf(level))) } : one
  })
  const rows = effects.map(reconcile)
  return { rows, wrong: rows.filter(({ missing, extra }) => missing.length + extra.length > 0), held }
}

function locationOf(level: string): string | undefined {
  return level.split(' ')[0]
}

interface Delivery {
  event: number
}

interface Thin {
  receiptNo: string
  total: number
  store: { storeExtId: string }
}

/** In the words of the ERP: `101/1012 149.90`. */
async function heldSales({ hub }: WorldAtSpeed): Promise<string[]> {
  const { deliveries } = await hub.admin<{ deliveries: Delivery[] }>('deliveries?state=held&destination=erp&limit=500')
  const events = await Promise.all(
    deliveries.map(({ event }) => hub.admin<{ subscription: string; body: string }>(`events/${event}`)),
  )
  return events.map(({ subscription, body }) => {
    const { receiptNo, total, store } = JSON.parse(body) as Thin
    if (subscription !== 'pulled') throw new Error(`The sale ${receiptNo} is held, and was pushed.`)
    return `${store.storeExtId}/${receiptNo} ${total.toFixed(2)}`
  })
}
