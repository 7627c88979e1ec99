import { type Looking, lookAround } from '../admin/examine/look.ts'
import type { Archive } from '../archive/archive.ts'
import type { Config } from '../config/config.ts'
import type { Inbox } from '../inbox/accept.ts'
import type { Correct } from '../inbox/corrections.ts'
import { createWanted, type Routable } from '../inbox/route.ts'
import { createJobs } from '../jobs/all.ts'
import type { HubJob } from '../jobs/engine/job.ts'
import type { Platform } from '../platform/platform.ts'
import { canFindAll } from '../ports/perform.ts'
import type { Taking } from '../receiver/intake/taking.ts'
import type { StockOf } from '../store/article-stock.ts'
import type { Alarms } from './alarms.ts'
import type { Base } from './base.ts'
import { createRoomLook } from './retention.ts'
import { askedDestination, askedShops, type Systems } from './systems.ts'

interface Parts {
  platform: Platform | null
  systems: Systems
  routables: readonly Routable[]
  inbox: Inbox
  taking: Taking
  correct: Correct
  reached: (destination: string) => void
  start: (job: string) => void
  stockOf: StockOf
  mirrored: 'all' | 'stock' | null
  soldFrom: readonly string[]
  archive: Archive | null
  looking: Looking
  alarms: Alarms
}

export function setupJobs(
  {
    server,
    platform: asked,
    jobs,
    reconcile,
    readBack,
    pulls,
    silence,
    completeness,
    retention,
    store: { url },
  }: Config,
  { store, stores, searchIndex, flows, clock, logger }: Base,
  {
    platform,
    systems,
    routables,
    inbox,
    taking,
    correct,
    reached,
    start,
    stockOf,
    mirrored,
    soldFrom,
    archive,
    ...parts
  }: Parts,
): HubJob[] {
  const { webhooks, payloads: mappings, retailLists, dryRun } = asked
  return createJobs({
    platform,
    store,
    searchIndex,
    inbox,
    publicUrl: server.publicUrl,
    kinds: webhooks.kinds,
    ids: webhooks.ids,
    subscribedStores: webhooks.stores,
    token: webhooks.tokens[0] ?? '',
    keyed: webhooks.eventIdHeader !== undefined,
    rate: asked.rate,
    schedules: jobs,
    mappings,
    intake: { systems: systems.handing, take: taking.take },
    onStores: stores.learn,
    reached,
    start,
    mirrored,
    wanted: createWanted(flows, routables),
    soldFrom,
    reconcile: { correct, stockOf, cap: reconcile.cap, shops: askedShops(systems.targets, reached) },
    masterData: { retail: retailLists, settles: readBack.after, readsBack: !dryRun },
    listsDeliveries: platform?.operations.isShown('deliveries.list') ?? false,
    listsCounts: platform?.operations.isShown('counts.list') ?? false,
    tellsTotals: platform?.operations.isShown('aggregates.list') ?? false,
    pulls,
    saleColumns: pulls.saleColumns,
    storeIndex: stores.index,
    tills: completeness.tills,
    asked: { destinations: systems.targets.map(askedDestination), rules: completeness.destinations, flows },
    inDoubt: { destinations: systems.targets.filter(({ ports }) => canFindAll(ports)), flows },
    opening: silence,
    retention: { ages: retention.enabled ? retention : null, archive, room: createRoomLook(url) },
    alarms: { ...parts.alarms.forJob, look: async () => (await lookAround(parts.looking)).items },
    clock,
    logger,
  })
}
