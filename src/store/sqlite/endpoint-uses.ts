import type { Database } from 'better-sqlite3'
import type { EndpointUse, KeptEndpointUse } from '../../domain/health/endpoint-use.ts'
import type { Instant } from '../../domain/values/instant.ts'

/** Uses of operations of the platform that no document shows. It runs inside a transaction of the caller. */
export function createEndpointUses(db: Database) {
  const all = db.prepare<[], KeptEndpointUse>(
    'select operation, address, first_at as firstAt, first, came, since from endpoint_uses order by operation',
  )
  const note = db.prepare(
    `insert into endpoint_uses as kept (operation, address, first_at, first, came, since)
       values (@operation, @address, @now, @came, @came, @now)
       on conflict (operation) do update set address = excluded.address, came = excluded.came, since = excluded.since,
         first_at = case when kept.address = excluded.address then kept.first_at else excluded.first_at end,
         first = case when kept.address = excluded.address then kept.first else excluded.first end
       where kept.address <> excluded.address or kept.came not in ('worked', excluded.came)`,
  )

  return {
    endpointUses: (): KeptEndpointUse[] => all.all(),
    noteEndpointUse: (use: EndpointUse, now: Instant): void => void note.run({ ...use, now }),
  }
}
