import type { Database } from 'better-sqlite3'
import type { KeptSigningKey } from '../../../domain/ledger/certificate/signing-key.ts'

/** The keys that certificates are signed with. It runs inside a transaction of the caller. */
export function createSigningKeys(db: Database) {
  const all = db.prepare<[], KeptSigningKey>(
    `select id, public_key as publicKey, private_key as privateKey, created_at as createdAt, created_by as createdBy,
       retired_at as retiredAt from signing_keys order by created_at, id`,
  )
  const retire = db.prepare('update signing_keys set retired_at = ? where retired_at is null')
  const add = db.prepare(
    `insert into signing_keys (id, public_key, private_key, created_at, created_by)
       values (@id, @publicKey, @privateKey, @createdAt, @createdBy)`,
  )
  const note = db.prepare('insert into audit (at, by, action, selection, changed) values (?, ?, ?, ?, 1)')

  return {
    signingKeys: (): KeptSigningKey[] => all.all(),

    addSigningKey(key: KeptSigningKey): void {
      retire.run(key.createdAt)
      add.run(key)
      note.run(key.createdAt, key.createdBy, 'rotate-signing-key', JSON.stringify({ id: key.id }))
    },
  }
}
