import { countEffects } from '../../../../sandbox/demo/count.ts'
import { countBooks } from '../../../../sandbox/demo/count-books.ts'
import { type Row, tally } from '../../../../sandbox/demo/tally.ts'
import type { Played } from './play.ts'
import type { WorldAtSpeed } from './world-at-speed.ts'

/** What a person has to book, since nobody says how it was paid: sales that were taken from their lines, by the ERP's words. */
async function heldSales({ hub }: WorldAtSpeed): Promise<string[]> {
  const { deliveries } = await hub.admin<{ deliveries: { entity: string | null; kind: string }[] }>(
    'deliveries?state=held&destination=erp&limit=500',
  )
  return deliveries.map(({ entity }) => entity ?? '')
}

/** Everything that has to be at a receiver by the sandbox's own books, and what is there, counted where it arrived. */
export async function countAll(world: WorldAtSpeed, { tills }: Played): Promise<{ rows: Row[]; held: string[] }> {
  const effects = [...countEffects(world, []), ...(await countBooks(world, tills))]
  return { rows: effects.map(tally), held: await heldSales(world) }
}
