import type { Database } from 'better-sqlite3'
import type { MirrorChange, MirrorRow, MirrorSet } from '../../domain/catalogue/mirror.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { isOlder, type MirrorText } from '../mirror-text.ts'

type Before = Omit<MirrorText, 'set' | 'key' | 'savedAt'>

/** The mirror's writes, and the reads just before them. They run inside a transaction of the caller. */
export function createMirror(db: Database) {
  const find = db.prepare<[MirrorSet, string], Before>(
    'select id, place, article, day, part, version, tie, body from mirror where set_name = ? and key = ?',
  )
  // Not by an upsert: one that changes nothing would still write down how far the ids are.
  const add = db.prepare(
    `insert into mirror (set_name, key, place, article, day, part, version, tie, body, saved_at)
       values (?,?,?,?,?,?,?,?,?,?)`,
  )
  const change = db.prepare(
    `update mirror set place = ?, article = ?, day = ?, part = ?, version = ?, tie = ?, body = ?, saved_at = ?
       where id = ?`,
  )
  const removeOthers = db.prepare(
    `delete from mirror where set_name = ? and part = ?
       and key not in (select value from json_each(?))`,
  )
  const rowsOf = db.prepare<[MirrorSet, string], MirrorText>(
    `select id, set_name as "set", key, place, article, day, part, version, tie, body, saved_at as savedAt
       from mirror where set_name = ? and key in (select value from json_each(?))`,
  )

  function put(row: MirrorRow, now: Instant) {
    const { set, key, place, article, day, part, version, tie } = row
    const body = JSON.stringify(row.body)
    const before = find.get(set, key)
    if (!before) add.run(set, key, place, article, day, part, version, tie, body, now)
    else if (!isOlder(row, before) && !isSame({ ...row, body }, before))
      change.run(place, article, day, part, version, tie, body, now, before.id)
  }

  return {
    /** `changes`: JSON of `MirrorChange[]`. */
    saveMirror(changes: string, now: Instant): void {
      for (const one of JSON.parse(changes) as MirrorChange[]) {
        if (one.type === 'put') {
          put(one.row, now)
          continue
        }
        // First, since most parts are new, and have nothing to look through yet. It leaves alone what is put then.
        removeOthers.run(one.set, one.part, JSON.stringify(one.rows.map(({ key }) => key)))
        for (const row of one.rows) put(row, now)
      }
    },

    /** `keys`: JSON of a list. */
    mirrorRows: (set: MirrorSet, keys: string): MirrorText[] => rowsOf.all(set, keys),
  }
}

function isSame(row: Omit<Before, 'id'>, before: Before): boolean {
  return COMPARED.every((column) => row[column] === before[column])
}

const COMPARED = ['version', 'tie', 'body', 'day', 'place', 'article', 'part'] as const
