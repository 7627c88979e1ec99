import type { Config } from '../config/config.ts'
import { tellingMoved } from '../delivery/moved-stock.ts'
import { MIRROR } from '../domain/queue/event.ts'
import type { Inbox } from '../inbox/accept.ts'
import type { Platform } from '../platform/platform.ts'
import { createArticleStock } from '../store/article-stock.ts'
import type { Base } from './base.ts'
import { directoryTarget, mirrorTarget } from './own-tables.ts'
import { platformTarget } from './platform.ts'
import { type Systems, soldStocks, type Target } from './systems.ts'

/** Who gets deliveries: the systems of the config, the platform, and the hub's own tables. */
export function gatherTargets(config: Config, base: Base, systems: Systems, platform: Platform | null) {
  const asked = [...systems.asked]
  // Stock is mirrored for a shop that sells from it, everything where config asks for it.
  const soldFrom = soldStocks(systems.targets)
  const levelsAreSellable = platform?.stock.areSellable() === true
  const stockOf = createArticleStock({ store: base.store, stocks: soldFrom, levelsAreSellable })
  // The mirror, and shops that count by themselves, announce stock to the inbox, which is made for all targets, them among them.
  const made = Promise.withResolvers<Inbox>()
  const announce = async (stock: object) => {
    const inbox = await made.promise
    await inbox.announce('StockChanged', MIRROR, stock, base.clock.now())
  }
  const { logger } = base
  const targets: Target[] = systems.targets.map((target) => tellingMoved(target, { stockOf, announce, logger }))
  if (platform) targets.push(platformTarget(platform, config.platform))
  const mirrored = config.mirror ?? (soldFrom.length > 0 ? 'stock' : null)
  // Customers are kept for a till that asks for them alone, whatever the mirror holds: nobody else reads them.
  if (config.lookups.customers) {
    const directory = directoryTarget(base)
    targets.push(directory)
    asked.push({ name: directory.name, ports: directory.ports, handsOver: false })
  }
  if (mirrored !== null) targets.push(mirrorTarget(base, { what: mirrored, platform, stockOf, announce }))
  return { targets, asked, soldFrom, stockOf, mirrored, announceTo: made.resolve }
}
