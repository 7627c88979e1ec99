import { describe, expect, test } from 'vitest'
import { asking } from '../cli/run.ts'
import { sale } from '../fixtures/payloads.ts'
import { shareHub } from '../hub.ts'

const hub = shareHub()

describe('times of a filter', () => {
  test.each(['2', '0', '-2', '1.2', '5/6', '2026', '2026-11', '2026-11-31', '2026-11-20T25:00Z', '2 h', 'yesterday'])(
    'When since is %s, then nobody takes it for a time: neither the command line nor the hub acts',
    async (since) => {
      await hub().post('SaleCreated', sale())
      const typed = await asking(hub())('events', 'dismiss', `--since=${since}`, '--reason', 'a test')
      expect([typed.code, typed.err]).toEqual([2, expect.stringMatching(/an instant, such as 2026-11-20T08:00Z/)])
      const posted = await hub().admin('events/dismiss', { filter: { since }, reason: 'a test' })
      expect(posted.body).toMatchObject({ status: 400, detail: expect.stringMatching(/^filter\.since: /) })
      const listed = await hub().admin(`audit?since=${encodeURIComponent(since)}`)
      expect(listed.body).toMatchObject({ status: 400, detail: expect.stringMatching(/^since: /) })
      const { body } = await hub().admin<{ events: object[] }>('events?dismissed=true')
      expect(body.events).toEqual([])
    },
  )
})
