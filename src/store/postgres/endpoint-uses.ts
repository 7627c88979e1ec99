import type { EndpointUse, KeptEndpointUse } from '../../domain/health/endpoint-use.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { type Database, prepared } from './server/database.ts'

const all = prepared<KeptEndpointUse>(`
  select operation, address, first_at as "firstAt", first, came, since
    from endpoint_uses order by operation collate "C"`)
const note = prepared(`
  insert into endpoint_uses as kept (operation, address, first_at, first, came, since)
    values ($1, $2, $4, $3, $3, $4)
    on conflict (operation) do update set address = excluded.address, came = excluded.came, since = excluded.since,
      first_at = case when kept.address = excluded.address then kept.first_at else excluded.first_at end,
      first = case when kept.address = excluded.address then kept.first else excluded.first end
    where kept.address <> excluded.address or kept.came not in ('worked', excluded.came)`)

/** Uses of operations of the platform that no document shows. */
export function createEndpointUses(db: Database) {
  return {
    endpointUses: (): Promise<KeptEndpointUse[]> => db.query(all),

    async noteEndpointUse({ operation, address, came }: EndpointUse, now: Instant): Promise<void> {
      await db.query(note, [operation, address, came, now])
    },
  }
}
