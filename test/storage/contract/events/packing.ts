import { expect } from 'vitest'
import { payloadOf } from '../../../../src/domain/queue/event.ts'
import { FIRST_BLOCK } from '../../../../src/storage/payloads/block.ts'
import type { PersonalChange } from '../../../../src/storage/personal-places.ts'
import type { DeletedPage } from '../../../../src/storage/rows.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { claim, DELIVERED, HOUR, settle } from '../../acting.ts'
import type { StoreTest } from '../../under-test.ts'

/** Old payloads are packed into blocks, and are there as before, whoever reads them. */
export function packing(test: StoreTest): void {
  test('When payloads are packed, then whoever reads them sees what was there before', async (the) => {
    const { storage, clock, arrival } = the
    const given = Array.from({ length: 700 }, (_, n) =>
      arrival({ kind: n % 7 === 0 ? 'OrderCreated' : 'InvoiceCreated', headers: { nth: String(n) } }),
    )
    const verdicts = await storage.accept(given)
    const ids = verdicts.map(({ id }) => id ?? 0)
    const some = ids.filter((_, n) => n % 13 === 0)
    const before = await screensOf(storage, some)
    await the.clock.pass(HOUR)

    const packed = await packAll(storage, clock.now())

    expect(packed.payloads).toBe(700)
    expect(packed.blocks).toBe(4)
    expect(packed.bytes).toBeLessThan(packed.plainBytes / 2)
    expect(await screensOf(storage, some)).toEqual(before)
    expect(before.every(({ body }, n) => body === textOf(given[13 * n]?.body))).toBe(true)
    const bodies = new Map((await storage.bodies(ids)).map(({ id, body }) => [id, body]))
    expect(ids.every((id, n) => textOf(bodies.get(id)) === textOf(given[n]?.body))).toBe(true)
  })

  test('When a payload is young, then it stays as it is, and few ones of a kind wait for more', async (the) => {
    const { storage, clock, arrival } = the
    await storage.accept(Array.from({ length: 100 }, () => arrival()))
    await storage.accept([arrival({ kind: 'OrderCreated' })])

    expect((await storage.packPayloads(clock.now())).payloads).toBe(0)
    await the.clock.pass(HOUR)
    expect((await packAll(storage, clock.now())).payloads).toBe(100)
    await the.clock.pass(25 * HOUR)
    expect((await packAll(storage, clock.now())).payloads).toBe(1)
  })

  test('When what is packed is still owed, then its claim has its body, also after a restart', async (the) => {
    const { storage, clock, arrival } = the
    const given = Array.from({ length: 80 }, (_, nth) => arrival({ payload: { nth } }))
    await storage.accept(given)
    await the.clock.pass(HOUR)
    await packAll(storage, clock.now())
    const opened = await the.reopen()

    const claims = await claim(opened)
    expect(claims.map(({ event }) => payloadOf(event))).toEqual(given.map((_, nth) => ({ nth })))
    await settle(opened, claims, DELIVERED, clock.now())
  })

  test('When a richer body completes one that is packed, then it is read, and packed in its turn', async (the) => {
    const { storage, clock, arrival } = the
    const thin = arrival({ identity: 'sale:1', payload: { thin: true }, headers: { was: 'first' } })
    const [kept] = await storage.accept([thin, ...Array.from({ length: 80 }, () => arrival())])
    const id = kept?.id ?? 0
    await the.clock.pass(HOUR)
    await packAll(storage, clock.now())

    const richer = arrival({ identity: 'sale:1', payload: { thin: false, lines: [1, 2, 3] } })
    const [verdict] = await storage.accept([{ ...richer, completes: { event: id, bodyHash: thin.bodyHash } }])

    expect(verdict).toMatchObject({ status: 'duplicate', id, completed: true, otherBytes: true })
    const full = { headers: { was: 'first' }, body: textOf(richer.body) }
    expect(await screenOf(storage, id)).toEqual(full)
    await the.clock.pass(25 * HOUR)
    expect((await packAll(storage, clock.now())).payloads).toBe(1)
    expect(await screenOf(storage, id)).toEqual(full)
    expect((await storage.packPayloads(clock.now())).payloads).toBe(0)
  })

  test('When payloads are rewritten, then they are others wherever they lay, and the rest is as it was', async (the) => {
    const { storage, clock, arrival } = the
    const old = Array.from({ length: 80 }, () => arrival())
    const ids = (await storage.accept(old)).map(({ id }) => id ?? 0)
    await the.clock.pass(HOUR)
    await packAll(storage, clock.now())
    const [young] = await storage.accept([arrival({ headers: { from: 'eva' } })])
    const [a = 0, b = 0] = [ids[3], young?.id ?? 0]
    const body = Buffer.from('{"erased":true}')

    const { rows } = await storage.personalPage({ place: 'payloads', ofEvents: [a, b] })
    const changes = rows.map(({ row, values: [headers = null, was = null] }): PersonalChange => {
      const to = [row === String(b) ? '{"from":""}' : headers, body]
      return { place: 'payloads', row, from: [headers, was], to }
    })
    const gone: PersonalChange = { place: 'payloads', row: '999999', from: ['{}', body], to: ['{}', body] }
    expect(await storage.rewritePersonal([...changes, gone])).toBe(2)

    expect(await screenOf(storage, a)).toEqual({ headers: old[3]?.headers, body: textOf(body) })
    expect(await screenOf(storage, b)).toEqual({ headers: { from: '' }, body: textOf(body) })
    expect(await screenOf(storage, ids[4] ?? 0)).toEqual({ headers: old[4]?.headers, body: textOf(old[4]?.body) })
    const opened = await the.reopen()
    expect(textOf((await claim(opened)).find(({ event }) => event.id === a)?.event.body)).toBe(textOf(body))
  })

  test('When payloads are dropped, then those up to an event go, packed or not, but for some', async (the) => {
    const { storage, clock, arrival } = the
    const old = (await storage.accept(Array.from({ length: 600 }, () => arrival({ deliveries: [] })))).map(
      ({ id }) => id ?? 0,
    )
    const [other] = await storage.accept([arrival({ kind: 'OrderCreated' })])
    await the.clock.pass(HOUR)
    await packAll(storage, clock.now())
    const young = (await storage.accept(Array.from({ length: 4 }, () => arrival({ deliveries: [] })))).map(
      ({ id }) => id ?? 0,
    )
    const [held = 0, last = 0] = [old[30], young[1]]

    const which = { kind: 'InvoiceCreated', upTo: last, except: [held, young[0] ?? 0] }
    expect(await dropAll(storage, which)).toBe(600)
    expect(await storage.dropPayloads(which)).toEqual({ dropped: 0, after: null })

    const left = (await storage.bodies([...old, other?.id ?? 0, ...young])).map(({ id }) => id).sort((x, y) => x - y)
    expect(left).toEqual([held, other?.id, young[0], young[2], young[3]].sort((x, y) => Number(x) - Number(y)))
    expect(await storage.event(old[0] ?? 0)).toMatchObject({ body: null, headers: {} })
  })

  test('When payloads are packed at the moment that they are dropped, then those that count as dropped are gone', async (the) => {
    const { storage, clock, arrival } = the
    const stay: number[] = []
    for (let round = 0; round < 20; round += 1) {
      const given = Array.from({ length: 70 }, () => arrival({ deliveries: [] }))
      const ids = (await storage.accept(given)).map(({ id }) => id ?? 0)
      await the.clock.pass(HOUR)
      stay.push(...ids.slice(1))
      const which = { kind: given[0]?.kind ?? '', upTo: ids.at(-1) ?? 0, except: stay }

      const packing = storage.packPayloads(clock.now())
      // Each round begins to drop a little later.
      for (let turn = 0; turn < round; turn += 1) await storage.bodies([ids[0] ?? 0])
      const { dropped } = await storage.dropPayloads(which)
      await packing
      const left = (await storage.bodies(ids)).map(({ id }) => id)
      expect(left.length).toBe(ids.length - dropped)
      expect(left.includes(ids[0] ?? 0)).toBe(dropped === 0)
    }
  })
}

async function packAll(storage: Storage, before: number) {
  const all = { payloads: 0, blocks: 0, bytes: 0, plainBytes: 0 }
  for (;;) {
    const some = await storage.packPayloads(before)
    if (some.payloads === 0) return all
    all.payloads += some.payloads
    all.blocks += some.blocks
    all.bytes += some.bytes
    all.plainBytes += some.plainBytes
  }
}

async function dropAll(storage: Storage, which: Parameters<Storage['dropPayloads']>[0]): Promise<number> {
  let all = 0
  for (let after: number | null = FIRST_BLOCK; after !== null; ) {
    const part: DeletedPage<number> = await storage.dropPayloads({ ...which, after })
    all += part.dropped
    after = part.after
  }
  return all
}

async function screenOf(storage: Storage, id: number) {
  const event = await storage.event(id)
  return { headers: event?.headers, body: textOf(event?.body) }
}

async function screensOf(storage: Storage, ids: readonly number[]) {
  const all: Awaited<ReturnType<typeof screenOf>>[] = []
  for (const id of ids) all.push(await screenOf(storage, id))
  return all
}

function textOf(body: Uint8Array | null | undefined): string | null {
  return body ? Buffer.from(body).toString() : null
}
