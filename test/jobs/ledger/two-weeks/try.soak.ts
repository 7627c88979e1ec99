import { expect, test } from 'vitest'
import { play, comeToRest } from './play.ts'
import { startWorldAtSpeed } from './world-at-speed.ts'
import { readFileSync } from 'node:fs'

test('try', async () => {
  await using world = await startWorldAtSpeed((process.env.DIALECT ?? 'facts') as 'facts', '2026-11-16T08:00:00Z', 7)
  const t0 = Date.now()
  const played = await play(world, { days: Number(process.env.DAYS ?? 2), seed: 7, killsOneIn: Number(process.env.KILLS ?? 1000), offFrom: process.env.OFF ? Number(process.env.OFF) : null })
  console.log('played', Date.now() - t0, played.kills, played.forgotten.length)
  await comeToRest(world)
  console.log('rest', Date.now() - t0)
  const c = await world.hub.admin<any>('completeness')
  console.log(c.verdict, new Date(world.clock.now()).toISOString()); console.table(c.watermarks.map((w: any) => ({...w, from: new Date(w.from).toISOString?.(), until: new Date(w.until).toISOString(), since: undefined})))
  const g = await world.hub.admin<any>('gaps?limit=500')
  console.table(g.gaps.map((x:any)=>({id:x.id,road:x.road,cause:x.cause,kind:x.kind,state:x.state,why:x.ended?.reason,subject:x.subject.slice(0,40), at: new Date(x.at).toISOString()})))
  const lines = readFileSync(world.hub.log,'utf8').split('\n').filter(l=>l.startsWith('{')).map(l=>JSON.parse(l)).filter(l=>l.level>=50)
  const by = Map.groupBy(lines, l=>l.msg); for (const [m,ls] of by) console.log(m, ls.length, JSON.stringify(ls[0]).slice(0,400))
  console.log(await world.hub.admin<any>('status').then(s=>JSON.stringify(s.destinations)))
}, 900_000)
