import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { eventually } from '../../eventually.ts'
import { createFolder, type Given, startTestHub } from '../../hub.ts'
import { waiting } from '../days/open-store.ts'

const KINDS = 'sale invoice settlement received delivery movement terminal giftCard transfer reservation'.split(' ')

/** A hub with an ERP that reads files, one a record. `more`: more about the ERP; `config`: more of the config. */
export async function openErp({ more = {}, config }: { more?: object; config?: NonNullable<Given['config']> } = {}) {
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await createFolder())
  const write = Object.fromEntries(KINDS.map((kind) => [kind, { name: `${kind}-{key}`, format: 'json' }]))
  const erp = { adapter: 'files', folder: path, write, ...more }
  const hub = opened.use(await startTestHub({ destinations: { erp }, ...(config && { config }) }))
  const open = opened.move()
  let reported = 0
  return {
    hub,
    /** Each is told under an event id of its own. */
    async tell(kind: string, payloads: object[]) {
      for (const payload of payloads) {
        reported += 1
        const { status } = await hub.post(kind, payload, { eventId: `E-${reported}` })
        expect(status).toBe(202)
      }
    },
    async booked<T>(kind: string): Promise<T[]> {
      await eventually(async () => (await waiting(hub)) === 0)
      const names = (await readdir(path)).filter((name) => name.startsWith(`${kind}-`))
      const read = await Promise.all(names.map(async (name) => JSON.parse(await readFile(join(path, name), 'utf8'))))
      return read.flat()
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export type Erp = Awaited<ReturnType<typeof openErp>>
