import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { EXIT } from '../../src/cli/shared/exit.ts'
import type { GapChange } from '../../src/domain/completeness/gap.ts'
import { ADMIN_TOKEN, startTestHub } from '../hub.ts'
import { tillbridge } from './run.ts'

const HOUR = 3_600_000

test('when a script asks whether everything is here, then it is told by how the command ends, and what is missing', async () => {
  await using hub = await startTestHub()
  const { storage } = hub.hub
  const now = Date.now()
  const ask = (...args: string[]) => tillbridge(args, { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
  expect(await ask('complete')).toMatchObject({ code: 4, out: expect.stringContaining('Unknown:') })

  const watermark = {
    level: 'log',
    kind: 'SaleCreated',
    storeId: null,
    from: 0,
    until: now - HOUR,
    since: now,
  } as const
  await storage.saveReconciliation({ watermarks: [{ type: 'put', watermark }] }, now)
  expect(await ask('complete')).toMatchObject({ code: 0, out: expect.stringContaining('Nothing is missing.') })
  expect(await ask('complete', '--until', '0m')).toMatchObject({ code: 4 })

  const about = { source: 'log', kind: 'SaleCreated', storeId: null, destination: null, day: null } as const
  const gap: GapChange = {
    type: 'see',
    gap: { ...about, cause: 'failed', subject: 'e-1', at: now - HOUR, evidence: { log: { status: 503 } } },
  }
  await storage.saveReconciliation({ gaps: [gap] }, now)
  expect(await ask('complete', '--json')).toMatchObject({ code: 3, out: expect.stringContaining('"verdict": "gaps"') })
  expect((await ask('gaps', 'list')).out).toContain('e-1')
  expect((await ask('gaps', 'show', '1')).out).toMatch(/could not deliver it.*"status":503.*tillbridge jobs run/s)
  expect((await ask('gaps', 'explain', '1', '--reason', 'a test sale')).out).toContain('explain: 1 of 1 gap')
  expect((await ask('gaps', 'show', '1')).out).toContain('a test sale')
})

test.each([[[]], [['--json']], [['--destination', 'erp']]])(
  'When what answers says nothing of whether all is here (%j), then that is neither proven nor missing',
  async (args) => {
    const stranger = createServer((_, response) =>
      response.end(JSON.stringify({ ok: true, destinations: [{ name: 'erp', days: [] }] })),
    ).listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    await using _ = { [Symbol.asyncDispose]: async () => void stranger.close() }
    const { port } = stranger.address() as { port: number }
    const env = { TILLBRIDGE_URL: `http://127.0.0.1:${port}`, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
    const ended = await tillbridge(['complete', ...args], env)
    expect(ended.code).toBe(EXIT.input)
    expect(ended.out + ended.err).toContain('a hub of another version, or no hub')
  },
)
