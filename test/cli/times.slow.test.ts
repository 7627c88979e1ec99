import { expect, test } from 'vitest'
import type { EventList } from '../../src/admin/lists.ts'
import { sale } from '../fixtures/payloads.ts'
import { ADMIN_TOKEN, startTestHub } from '../hub.ts'
import { tillbridgeProcess } from './run.ts'

const PRINTED = /20\d\d-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d/

test.each(['Europe/Oslo', 'America/St_Johns'])(
  'When a time is printed in %s, then it is by that clock, says how far that is from UTC, and --since takes it as it is',
  async (TZ) => {
    await using hub = await startTestHub()
    await hub.post('SaleCreated', sale())
    const { body } = await hub.admin<EventList>('events')
    const receivedAt = body.events[0]?.receivedAt ?? 0
    const env = { TZ, TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }

    const { out } = await tillbridgeProcess(['events', 'list'], env)

    const [printed = ''] = PRINTED.exec(out) ?? []
    expect(Date.parse(printed)).toBe(Math.floor(receivedAt / 1_000) * 1_000)
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: TZ, dateStyle: 'short', timeStyle: 'medium' })
    expect(printed.slice(0, 19)).toBe(clock.format(receivedAt))
    const [since, before] = await Promise.all([
      tillbridgeProcess(['events', 'list', '--since', printed], env),
      // What names no zone is by the clock of whoever types it, wherever the hub is.
      tillbridgeProcess(['events', 'list', '--until', printed.slice(0, 19)], env),
    ])
    expect(since.out).toContain('SaleCreated')
    expect(before.out).toBe('No such events.\n')
  },
)
