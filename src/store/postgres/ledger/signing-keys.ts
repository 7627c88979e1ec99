import type { KeptSigningKey } from '../../../domain/ledger/certificate/signing-key.ts'
import { type Database, prepared } from '../server/database.ts'

const all = prepared<KeptSigningKey>(`
  select id, public_key as "publicKey", private_key as "privateKey", created_at as "createdAt",
    created_by as "createdBy", retired_at as "retiredAt" from signing_keys order by created_at, id`)
const retire = prepared('update signing_keys set retired_at = $1 where retired_at is null')
const add = prepared(`
  insert into signing_keys (id, public_key, private_key, created_at, created_by) values ($1, $2, $3, $4, $5)`)
const note = prepared('insert into audit (at, by, action, selection, changed) values ($1, $2, $3, $4, 1)')

/** The keys that certificates are signed with. */
export function createSigningKeys(db: Database) {
  return {
    signingKeys: async (): Promise<KeptSigningKey[]> => await db.query(all),

    async addSigningKey({ id, publicKey, privateKey, createdAt, createdBy }: KeptSigningKey): Promise<void> {
      await db.transaction(async (session) => {
        await session.query(retire, [createdAt])
        await session.query(add, [id, publicKey, privateKey, createdAt, createdBy])
        await session.query(note, [createdAt, createdBy, 'rotate-signing-key', JSON.stringify({ id })])
      })
    },
  }
}
