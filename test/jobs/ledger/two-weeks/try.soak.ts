import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { countAll } from './count.ts'
import { comeToRest, play } from './play.ts'
import { startWorldAtSpeed } from './world-at-speed.ts'

test('try', async () => {
  await using world = await startWorldAtSpeed((process.env.DIALECT ?? 'facts') as 'facts', '2026-11-16T08:00:00Z', 7)
  const t0 = Date.now()
  const played = await play(world, {
    days: Number(process.env.DAYS ?? 2),
    seed: 7,
    killsOneIn: Number(process.env.KILLS ?? 1000),
    offFrom: process.env.OFF ? Number(process.env.OFF) : null,
  })
  console.log('played', Date.now() - t0, played.kills, played.forgotten.length)
  await comeToRest(world)
  console.log('rest', Date.now() - t0)
  const { rows, held } = await countAll(world, played)
  console.log(JSON.stringify(held))
  for (const r of rows)
    console.log(JSON.stringify({ ...r, missing: r.missing.slice(0, 15), extra: r.extra.slice(0, 15) }))
  {
    const db = new Database(join(world.folder, 'tillbridge.db'), { readonly: true })
    console.log(db.prepare("select state from jobs where name='ledger'").pluck().get()?.toString().slice(0, 200))
    const rows = db
      .prepare(
        'select id, kind, transport_key as k, received_at as r, subscription as s from events where transport_key is not null',
      )
      .all() as any[]
    const at = new Map(world.platform.events().map((e: any) => [e.webhookEventId, e]))
    for (const { id, kind, k, r, s } of rows) {
      const e: any = at.get(k)
      if (e && r - e.createdAt > 3_600_000 && e.runs.length <= 1)
        console.log(
          'LATE',
          id,
          kind,
          s,
          (r - e.createdAt) / 60000,
          new Date(e.createdAt).toISOString(),
          JSON.stringify(e.runs),
        )
    }
    db.close()
  }
  const c = await world.hub.admin<any>('completeness')
  console.log(c.verdict, new Date(world.clock.now()).toISOString())
  console.table(
    c.watermarks.map((w: any) => ({
      ...w,
      from: new Date(w.from).toISOString?.(),
      until: new Date(w.until).toISOString(),
      since: undefined,
    })),
  )
  const g = await world.hub.admin<any>('gaps?limit=500')
  console.table(
    g.gaps.map((x: any) => ({
      id: x.id,
      road: x.road,
      cause: x.cause,
      kind: x.kind,
      state: x.state,
      why: x.ended?.reason,
      subject: x.subject.slice(0, 40),
      at: new Date(x.at).toISOString(),
    })),
  )
  const lines = readFileSync(world.hub.log, 'utf8')
    .split('\n')
    .filter((l) => l.startsWith('{'))
    .map((l) => JSON.parse(l))
    .filter((l) => l.level >= 50)
  const by = Map.groupBy(lines, (l) => l.msg)
  for (const [m, ls] of by) console.log(m, ls.length, JSON.stringify(ls[0]).slice(0, 400))
  console.log(await world.hub.admin<any>('status').then((s) => JSON.stringify(s.destinations)))
}, 900_000)
