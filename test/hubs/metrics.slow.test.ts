import { expect, test } from 'vitest'
import { STORE_RULE } from '../../src/domain/alarms/rules.ts'
import { eventually } from '../eventually.ts'
import { startTestHub } from '../hub.ts'
import { NO_OWN_SERVER, startOwnServer } from './own-server.ts'

test.skipIf(NO_OWN_SERVER !== null)(
  `When the server of the store goes away, then whoever reads metrics is told just that, and no more than is known (${NO_OWN_SERVER ?? 'PostgreSQL'})`,
  async () => {
    await using server = await startOwnServer()
    await using hub = await startTestHub({ config: { store: { url: server.url } } })
    const keyFor = async (may: string) =>
      (await hub.admin<{ key: string }>('keys', { system: 'monitor', may })).body.key
    const metricsKey = await keyFor('read:metrics')
    const readKey = await keyFor('read:stock')
    const ask = (path: string, key: string) => hub.ask(path, { headers: { authorization: `Bearer ${key}` } })
    const well = await ask('/metrics', metricsKey)
    expect(well.status).toBe(200)
    expect(well.text).toContain('tillbridge_events_out_of_place')

    await server.stop()
    await eventually(async () => {
      const { status, text } = await ask('/metrics', metricsKey)
      expect([status, text]).toEqual([
        200,
        expect.stringContaining('tillbridge_findings{area="store",state="problem"} 1'),
      ])
      expect(text).not.toContain('tillbridge_events_out_of_place{')
      expect(text).toContain(`tillbridge_alarm_active{rule="${STORE_RULE.name}"`)
    }, 30_000)
    expect((await ask('/metrics', metricsKey.slice(0, -1))).status).toBe(401)
    expect((await ask('/v1/stock', readKey)).status).toBe(503)

    await server.start()
    await eventually(async () => {
      const { status, text } = await ask('/metrics', metricsKey)
      expect([status, text]).toEqual([200, expect.stringContaining('tillbridge_events_out_of_place{')])
    }, 30_000)
  },
)
