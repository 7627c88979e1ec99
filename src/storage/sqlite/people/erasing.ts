import type { Database } from 'better-sqlite3'
import { type EventIdentity, erasedKeyOf, keysOf, listOfKeys } from '../../key.ts'
import { locationOf, type PersonalChange, type PlaceValue, quoted, underOwnKey } from '../../personal-places.ts'
import type { KeyTable } from '../keys.ts'

export function createErasing(db: Database, keyTable: KeyTable) {
  const getEvent = db.prepare<[number], EventIdentity & { id: number }>(
    `select id, kind, origin, transport_key as transportKey, identity, body_hash as bodyHash from events
       where id = ? and conflict_with is null and body_hash <> ''`,
  )
  const addCustomers = db.prepare('update customer_count set n = n + ?')

  /** The rewritten row will yield other keys; keys of a later revision stay that one's. */
  function keepKeys(event: number): void {
    const row = getEvent.get(event)
    if (!row) return
    for (const key of listOfKeys(keysOf(row))) if (keyTable.get(key) === event) keyTable.put(key, event)
  }

  function change(one: PersonalChange): number {
    const separate = underOwnKey(one)
    if (separate === null) return write(one)
    try {
      return write(one, true)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_UNIQUE')) throw error
      return write(separate, true)
    }
  }

  function write({ place, row, from, to }: PersonalChange, isAlone = false): number {
    const { columns, isKeyed } = locationOf(place)
    const isSame = [...(isKeyed ? [] : ['rowid = ?']), ...columns.map((name) => `${quoted(name)} is ?`)].join(' and ')
    const was = [...(isKeyed ? [] : [Number(row)]), ...from.map(bound)]
    if (to === null) {
      const gone = db.prepare(`delete from ${place} where ${isSame}`).run(...was).changes
      if (place === 'customers' && gone > 0) addCustomers.run(-gone)
      return gone
    }
    const set = columns.map((name) => `${quoted(name)} = ?`).join(', ')
    const sql = isAlone
      ? `update ${place} set ${set} where ${isSame}`
      : `update or replace ${place} set ${set} where ${isSame}`
    return db.prepare(sql).run(...to.map(bound), ...was).changes
  }

  return {
    forgetEvents(events: readonly number[]): void {
      for (const event of events) {
        keepKeys(event)
        keyTable.put(erasedKeyOf(event), event)
      }
    },

    rewritePersonal(changes: readonly PersonalChange[]): number {
      return changes.reduce((sum, one) => sum + change(one), 0)
    },
  }
}

function bound(value: PlaceValue): string | Buffer | null {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
}
